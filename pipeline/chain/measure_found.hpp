#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/step.hpp"
#include "stages/measure/area_above.hpp"
#include "stages/measure/least_variance.hpp"
#include "stages/photometry/photometry.hpp"

namespace srcextract {

/// Computes the sums over the pixels of each source in the image in which it was found. If thresholds follow the noise
/// of each pixel, also finds the smallest variance of each source's own pixels.
struct Measure : AlwaysUsed, KeepsNothing, ByRows<0> {
  static constexpr const char* name = "measure";

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    found.sums = sum_over(found_of_runs(state.pixels, found), state.pixels, found, state.where);
    found.least_variance =
        least_variance(noise_of_found(state.pixels, state.plan, found), found.runs, own_components(found), state.where);
  }
};

/// Computes the sums in the measured image, if that is another image.
struct MeasureFlux : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "flux";
  static bool used(const Plan& plan) { return plan.has_detection_image(); }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    found.fluxes = sum_over(measured_of_runs(state.pixels, found), state.pixels, found, state.where);
  }
};

/// Sums the variances of each source's pixels.
struct SumVariance : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "variance";
  static bool used(const Plan& plan) { return plan.has_variance() || plan.weighs(); }

  template <class S>
  static void run(S& state) {
    state.found.variances = sum_over(noise_of_runs(state.pixels, state.found), state.pixels, state.found, state.where);
  }
};

/// Counts the pixels of each source above the analysis threshold. Pixels of sources that CLEAN merged into the source
/// do not count, as in SExtractor.
struct CountAreas : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "area";
  static bool used(const Plan& plan) { return plan.analyses(); }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    found.areas = area_above(found.runs, own_components(found), found.analysed, state.where);
  }
};

/// Frees what only the steps above read.
struct FreeImages : AlwaysUsed, KeepsNothing, ByRows<0> {
  static constexpr const char* name = nullptr;

  template <class S>
  static void run(S& state) {
    state.found.of_runs = {};
    if constexpr (requires { state.done.keeps_images(); })
      if (!state.done.keeps_images())
        state.found.image = {};  // the map of owners (which source each pixel belongs to) reuses its memory
  }
};

/// Measures the light of the sources in the measured image (photometry).
struct MeasurePhotometry : ByRows<0> {
  static constexpr const char* name = "photometry";
  static bool used(const Plan& plan) { return measures_photometry(plan.config); }
  /// The map of owners: the source that each pixel belongs to.
  static KeptImages keeps(const Plan&) { return {.host = 1, .device = 1}; }

  template <class S>
  static void run(S& state) {
    using Where = typename S::Where;
    const auto& pixels = state.pixels;
    auto& found = state.found;
    const bool cleaned = is_cleaned(found);
    const bool varies = noise_mesh(state.plan, found) != nullptr;
    // The filter's height delays the removal of a source from the image. In dual-image mode, SExtractor removes a
    // source from the measured image at once, as if there were no filter.
    const std::int64_t filter_rows = state.found_in == nullptr ? detection_filter(pixels, state.plan).height() : 0;
    const PhotometryInput<Where> input{.image = measured_image(pixels, found),
                                       .variance = measured_noise(pixels, found),
                                       .levels = found.levels,
                                       .runs = found.runs,
                                       .components = own_components(found),
                                       .sums = cleaned ? found.cleaned.own_sums : found.sums,
                                       .parentage = found.parentage,
                                       .absorbed = cleaned ? &found.cleaned.absorbed : nullptr,
                                       .found_in = state.found_in,
                                       .least_variance = varies ? &found.least_variance : nullptr,
                                       .star = pixels.star.view(),
                                       .whole = found.mesh.level.empty() ? nullptr : &found.whole,
                                       .numbers = pixels.numbers,
                                       .kernel_rows = filter_rows};
    found.photometry = measure_photometry(input, state.config(), state.where);
  }
};

/// From the pixels of sources to what the catalogue has of them.
using MeasuringSteps = PartList<Measure, MeasureFlux, SumVariance, CountAreas, FreeImages, MeasurePhotometry>;

}  // namespace srcextract
