#pragma once

#include <utility>

#include "config/config.hpp"
#include "stages/background.hpp"
#include "stages/columns.hpp"
#include "stages/ingest.hpp"
#include "stages/label.hpp"
#include "stages/measure.hpp"
#include "stages/threshold.hpp"

namespace srcextract {

/// The host's copy of a buffer: the buffer itself where it is on the host already.
template <class T>
Buffer<T, Cpu> on_host(Buffer<T, Cpu> buffer, const Cpu&) {
  return buffer;
}
template <class T>
Buffer<T, Cpu> on_host(Buffer<T, Gpu> buffer, const Gpu& where) {
  return to_host(buffer, where);
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

/// The pipeline, from stored pixels to the catalogue, on `Where`. After each stage `tap(name, result)` is called: the
/// one hook for timing, progress and the comparison of back ends.
template <class Where, class Tap>
Extraction run_stages(const PixelSource& source, const Config& config, const Where& where, Tap&& tap) {
  Extraction out;

  Pixels<Where> pixels = ingest(source, where);
  tap("ingest", pixels);
  out.masked_nan = pixels.nan;
  out.masked_infinite = pixels.infinite;
  out.masked_blank = pixels.blank;

  out.background = estimate_background(pixels.image, config.background, where);
  tap("background", out.background);
  out.levels = resolve_levels(out.background, config);

  Runs<Where> runs = find_runs(pixels.image, out.levels.detection, where);
  tap("threshold", runs);

  Components<Where> components = label_components(runs, config.detection, where);
  tap("label", components);
  out.detected = components.found;

  Buffer<SourceSums, Where> sums =
      measure_sources(pixels.image, runs, components, out.levels.background, pixels.masked() > 0, where);
  tap("measure", sums);

  out.sources = derive_columns(on_host(std::move(sums), where), source.shape, out.levels, config.measurement);
  tap("columns", out.sources);

  if (config.output.segmentation) {
    out.runs = {runs.shape, on_host(std::move(runs.runs), where), on_host(std::move(runs.row_begin), where)};
    out.label = on_host(std::move(components.label), where);
  }
  return out;
}

}  // namespace srcextract
