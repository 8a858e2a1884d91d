#pragma once

#include <memory>
#include <utility>

#include "python/core/stages/held.hpp"

/// The steps of an extraction (pipeline/chain) as separate functions, whose callers pass results from step to step.
namespace srcextract::python {

/// A step calls this function with the step's name when the step is done. Does nothing.
constexpr auto in_silence = [](const char*) {};

template <class Where>
HeldForeground<Where> find_pixels(const HeldImage<Where>& image, const SkyOf<Where>& sky, const Config& config,
                                  const Place<Where>& place) {
  const Where& where = place.where;
  check_background(sky.sky.facts, config);
  Detection<Where> found = detection_of<Where>(image, sky, nullptr, where);
  const LevelsOf<Where> levels_at(image.pixels, config, found, where);
  find_foreground(levels_at, image.pixels, config, found, where, in_silence);
  reshape_foreground(config.morphology, found, where, in_silence);
  return held_pixels(std::move(found), place);
}

template <class Where>
HeldLabels<Where> join_pixels(const HeldForeground<Where>& pixels, const DetectionConfig& config,
                              const Place<Where>& place) {
  Detection<Where> found;
  found.runs = view_of(*pixels.runs, place.where);
  if (pixels.seeds) found.seeds = view_of(*pixels.seeds, place.where);
  label_foreground(config, found, place.where, in_silence);
  return held_labels(std::move(found), pixels.runs, pixels.levels, place);
}

/// The levels with which the labels were detected. For labels that the caller made without threshold(), computes the
/// levels from the configuration; throws Error{config} if the configuration sets a rate of false discoveries.
/// `found.filtered` receives the noise of the filtered image, if thresholds are multiples of it.
template <class Where>
Levels levels_of_sources(const HeldLabels<Where>& labels, const HeldImage<Where>& image, const Config& config,
                         Detection<Where>& found, const Where& where) {
  const LevelsOf<Where> levels_at(image.pixels, config, found, where);
  if (labels.levels) return *labels.levels;
  if (controls_false_discoveries(config.detection))
    throw Error(ErrorKind::config,
                "detection.false_discovery_rate: tells the threshold of threshold(); of labels from "
                "elsewhere say detection.threshold");
  return fetch(levels_at(config.detection.threshold), where);
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
  const Levels levels = levels_of_sources(islands, image, config, found, where);
  found.levels = value_at(levels, where);
  if (islands.kept > 0) divide_sources(image.pixels, config, found, where, in_silence);
  return held_labels(std::move(found), islands.runs, levels, place);
}

/// Measures the sources of `labels` as detect_sources() does. Results of a device stay in the memory of the device.
template <class Where>
Detection<Where> measure_labels(const HeldImage<Where>& image, const HeldLabels<Where>& labels, const SkyOf<Where>& sky,
                                const HeldImage<Where>* found_in, const Config& config, const Where& where) {
  Detection<Where> found = detection_of(image, labels, sky, found_in, where);
  Levels levels = levels_of_sources(labels, image, config, found, where);
  if (config.detection.analysis_threshold != 0) {
    const LevelsOf<Where> levels_at(image.pixels, config, found, where);
    if (labels.levels) levels.analysis = fetch(levels_at(config.detection.threshold), where).analysis;
    find_analysed(levels_at, image.pixels, config, found, where, in_silence);
  }
  found.levels = value_at(levels, where);
  measure_found(image.pixels, config, found, where, in_silence);
  return found;
}

}  // namespace srcextract::python
