#pragma once

#include "pipeline/batch/run_control.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

struct RunResult {
  int code = 0;              ///< the highest exit code of failed images
  bool complete = true;      ///< every image was tried
  bool inputs_away = false;  ///< inputs went away, and did not come back in time
};

/// Extracts every image of the files, as many at a time as the machine and the budget allow. Each image is tried. When
/// the run is to stop, images under way are still finished. Inputs that went away together are put off until all others
/// are done, and waited for. The work of a lost GPU goes to another GPU, or to the CPU where falling back is allowed.
/// Throws errors that make every further image futile: Error{storage}; Error{device} if the last GPU is lost and the
/// CPU may not take over; exceptions of the callbacks in `control`.
RunResult process_files(const Job& job, const PlannedFiles& files, const Machine& machine, MemoryBudget& budget,
                        const Progress& progress, const RunControl& control = {});

}  // namespace srcextract
