#pragma once

#include <span>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "stages/combine/combine.hpp"
#include "stages/core/exposure.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/sky/background.hpp"
#include "stages/weights/given_level.hpp"
#include "stages/weights/mask.hpp"
#include "stages/weights/weights.hpp"

namespace srcextract {

/// Reads the planes of a frame into pixels of its shape, and combines them if configured.
template <class Where, class Engine>
void read_frame(std::span<const PixelSource> planes, const Config& config, Pixels<Where>& pixels, Engine& engine) {
  const Where& where = engine.where();
  if (config.combine.method == CombineMethod::none) {
    engine.read(planes.front(), pixels);
    engine.done("ingest", pixels);
    return;
  }
  check_plane_count(planes.size(), config.combine);
  std::vector<Pixels<Where>> frames;
  std::vector<Value<Background, Where>> skies;
  for (const PixelSource& plane : planes) engine.read(plane, frames.emplace_back(plane.shape, where));
  engine.done("ingest", frames.back());
  if (needs_skies(config.combine.method))
    for (const Pixels<Where>& frame : frames)
      skies.push_back(estimate_background(frame.image, config.background, where));
  combine_planes(frames, skies, config.combine, pixels, where);
  engine.done("combine", pixels);
}

/// Reads the planes of an exposure as a frame, and masks the pixels of its mask.
template <class Where, class Engine>
void read_masked(const Exposure& exposure, const Config& config, Pixels<Where>& pixels, Engine& engine) {
  read_frame(exposure.planes, config, pixels, engine);
  if (!exposure.mask) return;
  Pixels<Where> mask(exposure.shape(), engine.where());
  engine.read(*exposure.mask, mask);
  apply_mask(mask.image, pixels, engine.where());
  engine.done("mask", pixels);
}

/// Reads an exposure as read_masked does, and its weights, if there are any.
template <class Where, class Engine>
void read_exposure(const Exposure& exposure, const Config& config, Pixels<Where>& pixels, Engine& engine) {
  read_masked(exposure, config, pixels, engine);
  if (!exposure.weights) return;
  Pixels<Where> map(exposure.shape(), engine.where());
  engine.read(*exposure.weights, map);
  apply_weights(std::move(map.image), config.weights, pixels, engine.where());
  engine.done("weights", pixels);
}

/// Subtracts the level of the sky if it is given.
template <class Where, class Engine>
void subtract_given_level(const Exposure& exposure, Pixels<Where>& pixels, Engine& engine) {
  if (!exposure.level) return;
  Pixels<Where> level(exposure.shape(), engine.where());
  engine.read(*exposure.level, level);
  subtract_level(level.image, pixels, engine.where());
  engine.done("level", pixels);
}

}  // namespace srcextract
