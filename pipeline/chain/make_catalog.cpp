#include "pipeline/chain/make_catalog.hpp"

#include <utility>

#include "stages/measure/columns.hpp"

namespace srcextract {

namespace {

std::span<const SourceSums> all_of(const Buffer<SourceSums, Cpu>& sums) {
  return {sums.begin(), sums.end()};
}

}  // namespace

bool keeps_segmentation(const Config& config) {
  return config.output.segmentation || (config.output.quicklook && config.quicklook.overlay == Overlay::pixels);
}

Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, const MaskCounts& masked,
                        const Shape& shape, const Config& config, const Cpu& where, StageClock& clock) {
  check_background(*found.background, config);
  Extraction out;
  out.background = *found.background;
  out.levels = *found.levels;
  out.masked_nan = masked.nan;
  out.masked_infinite = masked.infinite;
  out.masked_blank = masked.blank;
  out.detected = found.components.counts->found;
  out.sources = derive_columns({sums, all_of(found.fluxes), all_of(found.variances)}, shape, out.levels,
                               config.measurement, where);
  clock.done("columns", out.sources);
  if (keeps_segmentation(config)) {
    out.runs = std::move(found.runs);
    out.label = std::move(found.components.label);
  }
  return out;
}

}  // namespace srcextract
