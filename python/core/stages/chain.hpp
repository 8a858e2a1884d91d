#pragma once

#include <memory>
#include <utility>

#include "python/core/stages/held.hpp"

/// The steps of an extraction (pipeline/chain) as separate functions, whose callers pass results from step to step.
namespace srcextract::python {

/// A step calls this function with the step's name when the step is done. Does nothing.
constexpr auto in_silence = [](const char*) {};

/// The steps of threshold(): from the detection image to the pixels above the thresholds.
using PixelSteps =
    PartList<FindOwnNoise, FindLevels, ControlFalseDiscoveries, FindForeground, FindSeeds, ReshapeForeground>;

/// Finds the levels of the detection threshold in an image whose sky is known.
template <class Where>
void find_levels(const Pixels<Where>& pixels, const Config& config, Detection<Where>& found, const Where& where) {
  DetectionState state(pixels, config, found, where, in_silence);
  run_steps(PartList<FindOwnNoise, FindLevels>(), state);
}

template <class Where>
HeldForeground<Where> find_pixels(const HeldImage<Where>& image, const SkyOf<Where>& sky, const Config& config,
                                  const Place<Where>& place) {
  const Where& where = place.where;
  check_background(sky.sky.facts, config);
  Detection<Where> found = detection_of<Where>(image, sky, nullptr, where);
  DetectionState state(image.pixels, config, found, where, in_silence);
  run_steps(PixelSteps(), state);
  return held_pixels(std::move(found), place);
}

template <class Where>
HeldLabels<Where> join_pixels(const HeldForeground<Where>& pixels, const DetectionConfig& config,
                              const Place<Where>& place) {
  Detection<Where> found;
  found.runs = view_of(*pixels.runs, place.where);
  if (pixels.seeds) found.seeds = view_of(*pixels.seeds, place.where);
  found.components = label_foreground(config, found, place.where);
  return held_labels(std::move(found), pixels.runs, pixels.levels, place);
}

/// The levels with which the labels were detected. For labels that the caller made without threshold(), computes the
/// levels from the configuration; throws Error{config} if the configuration sets a rate of false discoveries.
/// `state.found.filtered` receives the noise of the filtered image, if thresholds are multiples of it.
template <class Where, class S>
Levels levels_of_sources(const HeldLabels<Where>& labels, S& state) {
  run_steps(PartList<FindOwnNoise>(), state);
  if (labels.levels) return *labels.levels;
  const DetectionConfig& config = state.config().detection;
  if (controls_false_discoveries(config))
    throw Error(ErrorKind::config,
                "detection.false_discovery_rate: tells the threshold of threshold(); of labels from "
                "elsewhere say detection.threshold");
  return fetch(levels_at(config.threshold, state), state.where);
}

template <class Where>
HeldLabels<Where> divide_labels(const HeldImage<Where>& image, const HeldLabels<Where>& islands,
                                const SkyOf<Where>& sky, const HeldImage<Where>* found_in, const Config& config,
                                const Place<Where>& place) {
  const Where& where = place.where;
  if (!islands.parentage.empty())
    throw Error(ErrorKind::input, "these labels were deblended already; give deblend() those of label()");
  Detection<Where> found = detection_of(image, islands, sky, found_in, where);
  if (!islands.levels) found.components = islands_of(*islands.runs, islands.components, config.detection, where);
  DetectionState state(image.pixels, config, found, where, in_silence);
  const Levels levels = levels_of_sources(islands, state);
  found.levels = value_at(levels, where);
  if (islands.kept > 0) run_steps(PartList<Deblend, Clean>(), state);
  return held_labels(std::move(found), islands.runs, levels, place);
}

/// Measures the sources of `labels` as detect_sources() does. Results of a device stay in the memory of the device.
template <class Where>
Detection<Where> measure_labels(const HeldImage<Where>& image, const HeldLabels<Where>& labels, const SkyOf<Where>& sky,
                                const HeldImage<Where>* found_in, const Config& config, const Where& where) {
  Detection<Where> found = detection_of(image, labels, sky, found_in, where);
  DetectionState state(image.pixels, config, found, where, in_silence);
  state.plan.known->detection_image = found_in != nullptr;
  Levels levels = levels_of_sources(labels, state);
  if (state.plan.analyses() && labels.levels)
    levels.analysis = fetch(levels_at(config.detection.threshold, state), where).analysis;
  found.levels = value_at(levels, where);
  run_steps(JoinedList<PartList<FindAnalysed>, MeasuringSteps>(), state);
  return found;
}

}  // namespace srcextract::python
