#pragma once

#include <cstdint>

#include "pipeline/batch/run_control.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"
#include "survey/journal/planned_files.hpp"

namespace srcextract {

struct RunResult {
  int code = 0;              ///< the highest exit code of the failed images; 0 if none failed
  bool complete = true;      ///< every image was tried
  bool inputs_away = false;  ///< input files disappeared together, and did not come back within RunControl::wait
  std::int64_t images = 0, done = 0, sources = 0;  ///< images tried, those of them that are done, and their sources
};

/// Extracts every image of the files, in as many parallel workers as the machine and the memory budget allow. A failed
/// image does not end the run. When the run is to stop, the images being extracted are still finished.
///
/// If many input files disappear together (AbsentInputs), all other files are extracted first; then the run waits for
/// the missing files. If a GPU is lost, another GPU or, if `machine` allows it, the CPU does its work.
///
/// Throws errors after which no further image could succeed: Error{storage}; Error{device} if the last GPU is lost and
/// the CPU may not take over. Also throws the exceptions of the callbacks in `control`.
RunResult process_files(const Job& job, const PlannedFiles& files, const Machine& machine, MemoryBudget& budget,
                        const Progress& progress, const RunControl& control = {});

/// Chooses the reference image of each image if the reference is given as a folder. Adds the chosen references to
/// `kept`, the files that no output may replace. `memory`: the limit that the user gave (--memory), if any.
ImageFiles with_references(ImageFiles files, const std::optional<std::int64_t>& memory, KeptFiles& kept);

}  // namespace srcextract
