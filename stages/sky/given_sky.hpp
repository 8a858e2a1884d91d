#pragma once

#include "stages/core/host_device.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// The parts of an image's sky that the user gives, so that they are not estimated.
struct GivenSky {
  bool level = false;  ///< true: level is 0, since the given level was subtracted (stages/weights/given_level.hpp)
  float rms = 0;       ///< the noise of a pixel; 0: not known

  bool any() const { return level || rms > 0; }
};

inline GivenSky given_sky(const GivenSkyConfig& config) {
  return {has_level(config), static_cast<float>(given_number(config.rms).value_or(0))};
}

/// Replaces the estimated level and noise in `background` by the given ones.
SRCEXTRACT_HOST_DEVICE inline void give_sky(const GivenSky& given, Background& background) {
  const bool of_mesh = background.mesh.width > 0;
  if (given.level) {
    background.clipped.median = 0;
    background.mesh.least_level = background.mesh.most_level = 0;
  }
  if (given.rms > 0) {
    background.clipped.sigma = static_cast<double>(given.rms);
    background.mesh.least_rms = background.mesh.most_rms = of_mesh ? given.rms : 0;
  }
}

/// Replaces level and noise of an estimate for the whole image. The other statistics stay those of the pixels.
void give_sky(const GivenSky& given, Value<Background, Cpu>& background, const Cpu& where);
void give_sky(const GivenSky& given, Value<Background, Gpu>& background, const Gpu& where);

/// Replaces level and noise at all nodes of a mesh.
void give_sky(const GivenSky& given, MeshSky<Cpu>& sky, const Cpu& where);
void give_sky(const GivenSky& given, MeshSky<Gpu>& sky, const Gpu& where);

}  // namespace srcextract
