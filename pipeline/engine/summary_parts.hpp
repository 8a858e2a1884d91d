#pragma once

#include "cuda/device/memory.hpp"
#include "pipeline/engine/results.hpp"

namespace srcextract {

/// Device pointers to the parts of a summary.
class SummaryParts {
 public:
  SummaryParts() = default;
  SummaryParts(const Pixels<Gpu>& pixels, const Detection<Gpu>& found)
      : background_(found.background.data()),
        whole_(found.mesh.level.empty() ? background_ : found.whole.data()),
        levels_(found.levels.data()),
        masked_(pixels.masked.data()),
        counts_(found.components.counts.data()),
        runs_(end_of(found.runs)),
        thresholded_(found.thresholded.row_begin.empty() ? runs_ : end_of(found.thresholded)),
        seeds_(found.seeds.row_begin.empty() ? runs_ : end_of(found.seeds)),
        analysed_(found.analysed.row_begin.empty() ? runs_ : end_of(found.analysed)),
        island_runs_(found.island_runs.row_begin.empty() ? runs_ : end_of(found.island_runs)),
        islands_(found.island_runs.row_begin.empty() ? counts_ : found.islands.counts.data()) {}

  __device__ std::int64_t sources() const { return counts_->kept; }

  __device__ void write(ImageSummary* to) const {
    to->background = *background_;
    to->whole = *whole_;
    to->levels = *levels_;
    to->masked = *masked_;
    to->counts = *counts_;
    to->runs = *runs_;
    to->thresholded = *thresholded_;
    to->seeds = *seeds_;
    to->analysed = *analysed_;
    to->island_runs = *island_runs_;
    to->islands = *islands_;
  }

 private:
  /// Pointer to the number of runs.
  static const std::int64_t* end_of(const Runs<Gpu>& runs) { return runs.row_begin.data() + runs.shape.height; }

  const Background* background_ = nullptr;
  const Background* whole_ = nullptr;
  const Levels* levels_ = nullptr;
  const MaskCounts* masked_ = nullptr;
  const ComponentCounts* counts_ = nullptr;
  const std::int64_t* runs_ = nullptr;
  const std::int64_t* thresholded_ = nullptr;
  const std::int64_t* seeds_ = nullptr;
  const std::int64_t* analysed_ = nullptr;
  const std::int64_t* island_runs_ = nullptr;
  const ComponentCounts* islands_ = nullptr;
};

}  // namespace srcextract
