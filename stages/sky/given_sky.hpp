#pragma once

#include "stages/core/host_device.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// Which of sky level and noise the user gives, in place of an estimate.
struct GivenSky {
  bool level = false;  ///< whether a level is given; the level is then 0, since the given level was already subtracted
                       ///< (given_level.hpp)
  float rms = 0;       ///< the given noise of every pixel; 0: not given

  bool any() const { return level || rms > 0; }
};

inline GivenSky given_sky(const GivenSkyConfig& config) {
  return {has_level(config), static_cast<float>(given_number(config.rms).value_or(0))};
}

/// Replaces the estimates in `background` by the given level and noise. Members other than level and noise stay
/// unchanged.
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

void give_sky(const GivenSky& given, Value<Background, Cpu>& background, const Cpu& where);
void give_sky(const GivenSky& given, Value<Background, Gpu>& background, const Gpu& where);

/// Replaces level and noise at all nodes of a mesh, and in the summary for the whole image.
void give_sky(const GivenSky& given, MeshSky<Cpu>& sky, const Cpu& where);
void give_sky(const GivenSky& given, MeshSky<Gpu>& sky, const Gpu& where);

}  // namespace srcextract
