#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/step.hpp"
#include "stages/clean/clean_limit.hpp"
#include "stages/clean/clean_profile.hpp"
#include "stages/clean/clean_sources.hpp"
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
template <class Where>
Components<Where> label_foreground(const DetectionConfig& config, const Detection<Where>& found, const Where& where) {
  return label_components(found.runs, config, where, found.seeds.row_begin.empty() ? nullptr : &found.seeds);
}

struct Label : AlwaysUsed, KeepsNothing, ByRows<0> {
  static constexpr const char* name = "label";

  template <class S>
  static void run(S& state) {
    state.found.components = label_foreground(state.config().detection, state.found, state.where);
    tell_of_sources(state);
  }

  /// Tells the observer, if there is one, before memory for sources is allocated.
  template <class S>
  static void tell_of_sources(S& state) {
    if constexpr (requires { state.done.on_sources(state.found.components); })
      state.done.on_sources(state.found.components);
  }
};

template <class Where>
DeblendImages<Where> deblend_images(const Pixels<Where>& pixels, const Plan& plan, const Detection<Where>& found) {
  return {found_of_runs(pixels, found), measured_of_runs(pixels, found), found.levels,
          noise_of_found(pixels, plan, found)};
}

/// Splits components that contain several sources.
struct Deblend : KeepsNothing, ByRows<0> {
  static constexpr const char* name = "deblend";
  static bool used(const Plan& plan) { return plan.divides(); }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    if constexpr (requires { state.done.before_deblending(found.runs, found.components); })
      state.done.before_deblending(found.runs, found.components);
    auto deblended = deblend_sources(deblend_images(state.pixels, state.plan, found), found.runs, found.components,
                                     state.config(), state.where);
    found.island_runs = std::exchange(found.runs, std::move(deblended.runs));
    found.islands = std::exchange(found.components, std::move(deblended.components));
    found.parentage = std::move(deblended.parentage);
    found.core_pixels = std::move(deblended.core_pixels);
    Label::tell_of_sources(state);
  }
};

/// Drops sources that are larger than detection.max_area. Runs CLEAN, which merges a source into a brighter source in
/// whose wings it lies.
struct Clean : ByRows<0> {
  static constexpr const char* name = "clean sources";
  static bool used(const Plan& plan) { return cleans_sources(plan.config); }
  /// Heaps for CLEAN on a device. Further memory depends on the size of islands (connected groups of pixels): see
  /// deblend_memory for the host and Detector for a device.
  static KeptImages keeps(const Plan& plan) {
    return {.device = plan.config.deblend.clean && plan.config.detection.min_area > most_in_closed_form ? 1 : 0};
  }

  template <class S>
  static void run(S& state) {
    auto& found = state.found;
    const bool deblended = !found.parentage.empty();
    const auto sums = sum_over(found_of_runs(state.pixels, found), state.pixels, found, state.where);
    const Uncleaned<typename S::Where> sources{.runs = found.runs,
                                               .components = found.components,
                                               .island_runs = deblended ? found.island_runs : found.runs,
                                               .islands = deblended ? found.islands : found.components,
                                               .cores = found.core_pixels,
                                               .parentage = found.parentage,
                                               .sums = sums};
    const std::int64_t filter_rows = std::max<std::int64_t>(detection_filter(state.pixels, state.plan).height(), 1);
    found.cleaned = clean_sources(deblend_images(state.pixels, state.plan, found), sources, state.config(), filter_rows,
                                  state.where);
    found.components = std::move(found.cleaned.components);
    found.parentage = std::move(found.cleaned.parentage);
    found.core_pixels = {};
  }
};

/// From the pixels above the thresholds to the source that each of them belongs to.
using DividingSteps = PartList<Label, Deblend, Clean>;

}  // namespace srcextract
