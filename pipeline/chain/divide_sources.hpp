#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "stages/clean/clean_sources.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/deblend/deblend.hpp"
#include "stages/detect/label.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// Sums over the pixels of each source in `image`; one element per source.
template <class Where>
Buffer<SourceSums, Where> sum_over(const Image<float, Where>& image, const Pixels<Where>& pixels,
                                   const Detection<Where>& found, const Where& where) {
  return measure_sources(image, found.runs, found.components, found.levels, pixels.masked, where);
}

/// Joins the foreground into components (connected groups of pixels). If detection.seed is set, keeps only components
/// with a pixel above it.
template <class Where, class Done>
void label_foreground(const DetectionConfig& config, Detection<Where>& found, const Where& where, Done&& done) {
  found.components =
      label_components(found.runs, config, where, found.seeds.row_begin.empty() ? nullptr : &found.seeds);
  done("label");
}

template <class Where>
DeblendImages<Where> deblend_images(const Pixels<Where>& pixels, const Config& config, const Detection<Where>& found) {
  return {found_of_runs(pixels, found), measured_of_runs(pixels, found), found.levels,
          noise_of_found(pixels, config, found)};
}

/// Splits components that contain several sources (deblending).
template <class Where>
void deblend(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where) {
  Deblended<Where> deblended =
      deblend_sources(deblend_images(pixels, config, found), found.runs, found.components, config, where);
  found.island_runs = std::exchange(found.runs, std::move(deblended.runs));
  found.islands = std::exchange(found.components, std::move(deblended.components));
  found.parentage = std::move(deblended.parentage);
  found.core_pixels = std::move(deblended.core_pixels);
}

/// Drops sources that are larger than detection.max_area. Runs CLEAN, which merges a source into a brighter source in
/// whose wings it lies.
template <class Where>
void clean(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where) {
  const bool deblended = !found.parentage.empty();
  const Buffer<SourceSums, Where> sums = sum_over(found_of_runs(pixels, found), pixels, found, where);
  const Uncleaned<Where> sources{found.runs,
                                 found.components,
                                 deblended ? found.island_runs : found.runs,
                                 deblended ? found.islands : found.components,
                                 found.core_pixels,
                                 found.parentage,
                                 sums};
  const std::optional<Kernel> kernel = detection_kernel(pixels, config);
  const std::int64_t kernel_rows = kernel ? kernel->height : 1;
  found.cleaned = clean_sources(deblend_images(pixels, config, found), sources, config, kernel_rows, where);
  found.components = std::move(found.cleaned.components);
  found.parentage = std::move(found.cleaned.parentage);
  found.core_pixels = {};
}

/// Deblends and cleans the components if the configuration asks for that. `done`: the callbacks explained at
/// detect_sources().
template <class Where, class Done>
void divide_sources(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
                    Done&& done) {
  constexpr bool tells_of_sources = requires {
    done.on_sources(found.components);
  };
  if constexpr (tells_of_sources) done.on_sources(found.components);
  if (config.deblend.method != DeblendMethod::none) {
    if constexpr (tells_of_sources) done.before_deblending(found.runs, found.components);
    deblend(pixels, config, found, where);
    done("deblend");
    if constexpr (tells_of_sources) done.on_sources(found.components);
  }
  if (cleans_sources(config)) {
    clean(pixels, config, found, where);
    done("clean sources");
  }
}

}  // namespace srcextract
