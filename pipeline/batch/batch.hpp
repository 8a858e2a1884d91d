#pragma once

#include "pipeline/batch/run_control.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

struct RunResult {
  int code = 0;          ///< the highest exit code of images that failed
  bool complete = true;  ///< every image was tried
};

/// Extracts every image of the files, as many at a time as the machine and the budget allow. Each is tried, and what is
/// under way is finished also where the run is to stop. The work of a GPU that is lost goes to another, or, where it
/// may, to the CPU. Throws what makes every further image futile: Error{storage}, Error{device} if the last GPU is
/// lost, what on_image throws.
RunResult process_files(const Job& job, const PlannedFiles& files, const Machine& machine, MemoryBudget& budget,
                        const Progress& progress, const RunControl& control = {});

}  // namespace srcextract
