#pragma once

#include "config/settings/background.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/value.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// What is known of the sky of an image without its estimate.
struct GivenSky {
  bool level = false;  ///< it is 0: what it was has been subtracted (stages/weights/given_level.hpp)
  float rms = 0;       ///< the noise of a pixel; 0: not known

  bool any() const { return level || rms > 0; }
};

inline GivenSky given_sky(const GivenSkyConfig& config) {
  return {has_level(config), static_cast<float>(given_number(config.rms).value_or(0))};
}

/// What is given takes the place of what was estimated, for both back ends.
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

/// The same of a sky for the whole image: level and noise in one number each. Its other statistics stay those of the
/// pixels.
void give_sky(const GivenSky& given, Value<Background, Cpu>& background, const Cpu& where);
void give_sky(const GivenSky& given, Value<Background, Gpu>& background, const Gpu& where);

/// The same of meshes, all of whose nodes have it then.
void give_sky(const GivenSky& given, MeshSky<Cpu>& sky, const Cpu& where);
void give_sky(const GivenSky& given, MeshSky<Gpu>& sky, const Gpu& where);

}  // namespace srcextract
