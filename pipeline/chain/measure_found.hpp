#pragma once

#include <optional>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/divide_sources.hpp"
#include "stages/measure/area_above.hpp"
#include "stages/measure/least_variance.hpp"
#include "stages/photometry/photometry.hpp"

namespace srcextract {

/// Counts the pixels of each source above the analysis threshold, if the configuration has one. Pixels of sources that
/// CLEAN merged into the source do not count, as in SExtractor.
template <class Where, class Done>
void find_areas(const DetectionConfig& config, Detection<Where>& found, const Where& where, Done&& done) {
  if (config.analysis_threshold == 0) return;
  found.areas = area_above(found.runs, own_components(found), found.analysed, where);
  done("area");
}

/// Stores the smallest variance of each source's own pixels, if thresholds follow the noise of each pixel.
template <class Where>
void find_least_variance(const NoiseMap<Where>& noise, Detection<Where>& found, const Where& where) {
  found.least_variance = least_variance(noise, found.runs, own_components(found), where);
}

/// Measures the light of the sources in the measured image (photometry). `found_in` (dual-image mode): the detection
/// image; null in other modes.
template <class Where, class Done>
void find_photometry(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
                     Done&& done, const FoundImage<Where>* found_in = nullptr) {
  if (!measures_photometry(config)) return;
  const bool cleaned = is_cleaned(found);
  const bool varies = noise_mesh(config, found) != nullptr;
  // The kernel's height delays the removal of a source from the image. In dual-image mode, SExtractor removes a source
  // from the measured image at once, as if there were no kernel.
  const std::optional<Kernel> kernel = found_in == nullptr ? detection_kernel(pixels, config) : std::nullopt;
  const PhotometryInput<Where> input{.image = measured_image(pixels, found),
                                     .variance = measured_noise(pixels, found),
                                     .levels = found.levels,
                                     .runs = found.runs,
                                     .components = own_components(found),
                                     .sums = cleaned ? found.cleaned.own_sums : found.sums,
                                     .parentage = found.parentage,
                                     .absorbed = cleaned ? &found.cleaned.absorbed : nullptr,
                                     .found_in = found_in,
                                     .least_variance = varies ? &found.least_variance : nullptr,
                                     .star = pixels.star.view(),
                                     .whole = found.mesh.level.empty() ? nullptr : &found.whole,
                                     .numbers = pixels.numbers,
                                     .kernel_rows = kernel ? kernel->height : 0};
  found.photometry = measure_photometry(input, config, where);
  done("photometry");
}

/// Measures the sources in the image in which they were found and in the measured image. If done.keeps_images() exists
/// and returns false, the image in which sources were found is freed after its last use.
template <class Where, class Done>
void measure_found(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
                   Done&& done) {
  found.sums = sum_over(found_of_runs(pixels, found), pixels, found, where);
  find_least_variance(noise_of_found(pixels, config, found), found, where);
  done("measure");
  if (!found.image.pixels.empty()) {
    found.fluxes = sum_over(measured_of_runs(pixels, found), pixels, found, where);
    done("flux");
  }
  const Image<float, Where>& noise = noise_of_runs(pixels, found);
  if (!noise.pixels.empty()) {
    found.variances = sum_over(noise, pixels, found, where);
    done("variance");
  }
  found.of_runs = {};
  find_areas(config.detection, found, where, done);
  if constexpr (requires { done.keeps_images(); })
    if (!done.keeps_images())
      found.image = {};  // the map of owners (which source each pixel belongs to) reuses its memory
  find_photometry(pixels, config, found, where, done);
}

}  // namespace srcextract
