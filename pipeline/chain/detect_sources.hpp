#pragma once

#include <utility>

#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/divide_sources.hpp"
#include "pipeline/chain/find_foreground.hpp"
#include "pipeline/chain/find_sky.hpp"
#include "pipeline/chain/measure_found.hpp"
#include "pipeline/chain/step.hpp"
#include "stages/convolve/detection_filter.hpp"
#include "stages/difference/difference.hpp"
#include "stages/weights/convolve_variance.hpp"

namespace srcextract {

/// Divides each pixel's value above the sky by the pixel's relative noise, in a difference.
struct Weigh : KeepsNothing, InOnePiece {
  static constexpr const char* name = "weigh";
  static bool used(const Plan& plan) { return plan.weighs(); }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    found.image = weigh_pixels(measured_image(state.pixels, found), state.pixels.noise, found.background, state.where);
  }
};

/// Convolves the image in which sources are found.
struct Convolve : ByRows<1> {
  static constexpr const char* name = "convolve";
  static bool used(const Plan& plan) { return plan.is_filtered(); }
  static KeptImages keeps(const Plan& plan) {
    const std::int64_t images = DetectionFilter::images(plan.config.convolve);
    return {.host = images, .device = images};
  }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    auto convolved = detection_filter(state.pixels, state.plan)
                         .apply(found_image(state.pixels, found), found.background, state.where);
    // The matched filter needs the levels and so runs later. Until then, `found.match` keeps the weighted image, which
    // is the filter's input.
    if (state.plan.is_matched()) found.match = std::move(found.image);
    found.image = std::move(convolved);
  }
};

/// Convolves the variances with the image's filter.
struct ConvolveVariance : ByRows<1> {
  static constexpr const char* name = "convolve variance";
  static bool used(const Plan& plan) { return plan.convolves_variance(); }
  static KeptImages keeps(const Plan&) { return {.host = 1, .device = 1}; }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    const ConvolveConfig& config = state.config().convolve;
    found.variance =
        convolve_variance(measured_variance(state.pixels, found), make_kernel(config), config.edges, state.where);
  }
};

/// From the measured image to the image in which sources are found. Makes no image if no step is used, since sources
/// are then found in the measured image itself.
using FilterSteps = PartList<Weigh, Convolve>;

/// From pixels to the source that each of them belongs to.
using FindingSteps =
    JoinedList<BackgroundSteps, FilterSteps, PartList<ConvolveVariance>, ForegroundSteps, DividingSteps>;

/// All steps of a detection, in the order in which they run.
using DetectionSteps = JoinedList<FindingSteps, MeasuringSteps>;

/// Whether steps after the subtraction of the sky read `pixels.image` again. With a weight map, some do.
template <class Where>
bool are_read_again(const Pixels<Where>& pixels) {
  return !pixels.kept.pixels.empty() || !pixels.variance.pixels.empty();
}

/// Runs all steps from pixels to sums over sources on the back end `Where`. With a GPU, no step waits for the device.
/// Callbacks:
/// - done(step) after each step;
/// - done.on_sources(components), if that member exists, before memory for sources is allocated;
/// - done.before_deblending(runs, components), if `done` has that member;
/// - done.keeps_images(), if that member exists: if it returns false, the image in which sources were found is freed
///   after its last use.
/// `last_read`, used only on the host: pixels.image if no later step reads that image (are_read_again), else null. The
/// steps may reuse the image's memory for results.
template <class Where, class Done>
Detection<Where> detect_sources(const Pixels<Where>& pixels, const Plan& plan, const Where& where, Done&& done,
                                Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  DetectionState state(pixels, plan, found, where, done, last_read);
  run_steps(DetectionSteps(), state);
  return found;
}

}  // namespace srcextract
