#pragma once

#include <span>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/parts.hpp"
#include "stages/combine/combine.hpp"
#include "stages/core/exposure.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/sky/background.hpp"
#include "stages/weights/given_level.hpp"
#include "stages/weights/mask.hpp"
#include "stages/weights/weights.hpp"

namespace srcextract {

/// Reads the planes (2-D images of one shape) of an exposure and combines them into one image.
template <class Where, class Reading, class Engine>
void combine_frame(std::span<const PixelSource> planes, const Reading& config, Pixels<Where>& pixels, Engine& engine) {
  const Where& where = engine.where();
  check_plane_count(planes.size(), config.combine);
  std::vector<Pixels<Where>> frames;
  std::vector<Value<Background, Where>> skies;
  for (const PixelSource& plane : planes) engine.read(plane, frames.emplace_back(engine.room_for(plane.shape)));
  engine.done("ingest", frames.back());
  if (needs_skies(config.combine.method))
    for (const Pixels<Where>& frame : frames)
      skies.push_back(estimate_background(frame.image, config.background, where));
  combine_planes(frames, skies, config.combine, pixels, where);
  engine.done(CombinePlanes::name, pixels);
}

/// Reads an exposure into `pixels`. Applies the mask and the weight map of the exposure, if there are any. `config` is
/// a Config or a FrameSettings.
template <class Where, class Reading, class Engine>
void read_exposure(const Exposure& exposure, const Reading& config, Pixels<Where>& pixels, Engine& engine) {
  const Where& where = engine.where();
  if (config.combine.method == CombineMethod::none) {
    engine.read(exposure.planes.front(), pixels);
    engine.done("ingest", pixels);
  } else {
    combine_frame(exposure.planes, config, pixels, engine);
  }
  if (exposure.mask) {
    Pixels<Where> mask = engine.room_for(exposure.shape());
    engine.read(*exposure.mask, mask);
    apply_mask(mask.image, pixels, where);
    engine.done(ApplyMask::name, pixels);
  }
  if (exposure.weights) {
    Pixels<Where> map = engine.room_for(exposure.shape());
    engine.read(*exposure.weights, map);
    apply_weights(std::move(map.image), config.weights, pixels, where);
    engine.done(ApplyWeights::name, pixels);
  }
}

/// Subtracts the sky level that the user gave, if there is one.
template <class Where, class Engine>
void subtract_given_level(const Exposure& exposure, Pixels<Where>& pixels, Engine& engine) {
  if (!exposure.level) return;
  Pixels<Where> level = engine.room_for(exposure.shape());
  engine.read(*exposure.level, level);
  subtract_level(level.image, pixels, engine.where());
  engine.done(SubtractGivenLevel::name, pixels);
}

}  // namespace srcextract
