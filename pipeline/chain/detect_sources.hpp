#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/divide_sources.hpp"
#include "pipeline/chain/find_foreground.hpp"
#include "pipeline/chain/find_sky.hpp"
#include "pipeline/chain/measure_found.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/detect/pixels_of_runs.hpp"
#include "stages/difference/difference.hpp"
#include "stages/weights/convolve_variance.hpp"

namespace srcextract {

/// Makes the image in which sources are found: the measured image after two optional steps. In a difference, each
/// pixel's value above the sky is divided by the pixel's relative noise (weigh_pixels). Then the image is convolved.
/// Makes no image if neither step is done, since sources are then found in the measured image itself.
template <class Where, class Done>
void make_detection_image(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found,
                          const Where& where, Done&& done) {
  if (!pixels.noise.pixels.empty()) {
    found.image = weigh_pixels(measured_image(pixels, found), pixels.noise, found.background, where);
    done("weigh");
  }
  if (const std::optional<Kernel> kernel = detection_kernel(pixels, config)) {
    auto convolved = convolve(found_image(pixels, found), *kernel, config.convolve.edges, found.background, where);
    // The matched filter needs the levels and so runs later. Until then, `found.match` keeps the weighted image, which
    // is the filter's input.
    if (is_matched(config)) found.match = std::move(found.image);
    found.image = std::move(convolved);
    done("convolve");
  }
}

/// Whether steps after the subtraction of the sky read `pixels.image` again. With a weight map, some do.
template <class Where>
bool are_read_again(const Pixels<Where>& pixels) {
  return !pixels.kept.pixels.empty() || !pixels.variance.pixels.empty();
}

/// Copies the pixels of all runs, and their variances, out of images on demand (images whose rows are computed each
/// time a step reads them). Without the copy, every step of deblending and CLEAN would compute these rows again. Does
/// nothing for images that are in memory.
template <class Where>
void keep_pixels_of_runs(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found,
                         const Where& where) {
  if constexpr (std::is_same_v<Where, Cpu>) {
    if (config.deblend.method == DeblendMethod::none && !config.deblend.clean) return;
    ImagesOfRuns<Cpu>& of_runs = found.of_runs;
    if (auto taken = pixels_of_runs(found_image(pixels, found), measured_image(pixels, found), found.runs,
                                    pixels.masked->total() > 0, where))
      std::tie(of_runs.found, of_runs.measured) = *std::move(taken);
    const Image<float, Cpu>& noise = measured_noise(pixels, found);
    const Image<float, Cpu>* const found_noise = noise_of_found(pixels, config, found).variance;
    if (found_noise == nullptr) return;
    if (auto taken = pixels_of_runs(*found_noise, noise, found.runs, false, where))
      std::tie(of_runs.found_noise, of_runs.measured_noise) = *std::move(taken);
  }
}

/// Runs the detection steps: finds the sky, the pixels above the threshold, and the source that each pixel belongs to.
template <class Where, class Done>
void find_sources(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where,
                  Done&& done, Image<float, Where>* last_read) {
  subtract_own_sky(pixels, config, found, where, done, last_read);
  make_detection_image(pixels, config, found, where, done);
  if (convolves_variance(config)) {
    found.variance =
        convolve_variance(measured_variance(pixels, found), make_kernel(config.convolve), config.convolve.edges, where);
    done("convolve variance");
  }
  const LevelsOf<Where> levels_at(pixels, config, found, where);
  find_foreground(levels_at, pixels, config, found, where, done);
  reshape_foreground(config.morphology, found, where, done);
  keep_pixels_of_runs(pixels, config, found, where);
  find_analysed(levels_at, pixels, config, found, where, done);
  label_foreground(config.detection, found, where, done);
  divide_sources(pixels, config, found, where, done);
}

/// Runs all steps from pixels to sums over sources on the back end `Where`. With a GPU, no step waits for the device.
/// Callbacks:
/// - done(stage) after each step;
/// - done.on_sources(components), if that member exists, before memory for sources is allocated;
/// - done.before_deblending(runs, components), if `done` has on_sources;
/// - done.keeps_images(), if that member exists: see measure_found().
/// `last_read`, used only on the host: pixels.image if no later step reads that image (are_read_again), else null. The
/// steps may reuse the image's memory for results.
template <class Where, class Done>
Detection<Where> detect_sources(const Pixels<Where>& pixels, const Config& config, const Where& where, Done&& done,
                                Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  find_sources(pixels, config, found, where, done, last_read);
  measure_found(pixels, config, found, where, done);
  return found;
}

}  // namespace srcextract
