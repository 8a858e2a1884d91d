#pragma once

#include <span>
#include <utility>

#include "config/config.hpp"
#include "stages/background.hpp"
#include "stages/columns.hpp"
#include "stages/ingest.hpp"
#include "stages/label.hpp"
#include "stages/measure.hpp"
#include "stages/threshold.hpp"

namespace srcextract {

/// What the four steps find in an image, where they ran.
template <class Where>
struct Detection {
  Value<Background, Where> background;
  Value<Levels, Where> levels;
  Runs<Where> runs;
  Components<Where> components;
  Buffer<SourceSums, Where> sums;
};

/// The four steps, from pixels to sums over sources, on `Where`; on a device nothing waits. After each step
/// `tap(name, result)` is called: the one hook for timing, progress and the comparison of back ends.
template <class Where, class Tap>
Detection<Where> detect_sources(const Pixels<Where>& pixels, const Config& config, const Where& where, Tap&& tap) {
  Detection<Where> found;
  found.background = estimate_background(pixels.image, config.background, where);
  tap("background", found.background);

  found.levels = resolve_levels(found.background, config, where);
  found.runs = find_runs(pixels.image, found.levels, where);
  tap("threshold", found.runs);

  found.components = label_components(found.runs, config.detection, where);
  tap("label", found.components);

  found.sums = measure_sources(pixels.image, found.runs, found.components, found.levels, pixels.masked, where);
  tap("measure", found.sums);
  return found;
}

/// What the pipeline leaves behind, on the host.
struct Extraction {
  Sources sources;
  Background background;
  Levels levels;
  std::int64_t masked_nan = 0, masked_infinite = 0, masked_blank = 0;
  std::int64_t detected = 0;  ///< components before min_area
  Runs<Cpu> runs;             ///< with `label`, the segmentation; kept only if asked for
  Buffer<std::int32_t, Cpu> label;
};

/// The last stage, on the host for both back ends: from what was found in an image of that shape, and the sums over its
/// sources, to the catalogue. Throws Error{input} if the image has no background to speak of.
template <class Tap>
Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, const MaskCounts& masked,
                        const Shape& shape, const Config& config, const Cpu& where, Tap&& tap) {
  check_background(*found.background, config);
  Extraction out;
  out.background = *found.background;
  out.levels = *found.levels;
  out.masked_nan = masked.nan;
  out.masked_infinite = masked.infinite;
  out.masked_blank = masked.blank;
  out.detected = found.components.counts->found;
  out.sources = derive_columns(sums, shape, out.levels, config.measurement, where);
  tap("columns", out.sources);
  if (config.output.segmentation) {
    out.runs = std::move(found.runs);
    out.label = std::move(found.components.label);
  }
  return out;
}

/// The pipeline, from stored pixels to the catalogue, on the host; CudaExtractor (cuda/extract.hpp) is its twin.
template <class Tap>
Extraction run_stages(const PixelSource& source, const Config& config, const Cpu& where, Tap&& tap) {
  const Pixels<Cpu> pixels = ingest(source, where);
  tap("ingest", pixels);
  Detection<Cpu> found = detect_sources(pixels, config, where, tap);
  return make_catalog(std::move(found), found.sums, *pixels.masked, source.shape, config, where, tap);
}

}  // namespace srcextract
