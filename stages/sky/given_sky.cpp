#include "stages/sky/given_sky.hpp"

#include <algorithm>

namespace srcextract {

namespace {

/// Sets all nodes of a mesh to one value, and their second derivatives (bends) to 0.
void flatten(float value, Buffer<float, Cpu>& nodes, Buffer<float, Cpu>& bends) {
  std::ranges::fill(nodes, value);
  std::ranges::fill(bends, 0.0F);
}

}  // namespace

void give_sky(const GivenSky& given, Value<Background, Cpu>& background, const Cpu&) {
  give_sky(given, *background);
}

void give_sky(const GivenSky& given, MeshSky<Cpu>& sky, const Cpu&) {
  if (given.level) flatten(0, sky.mesh.level, sky.mesh.level_bend);
  if (given.rms > 0) flatten(given.rms, sky.mesh.rms, sky.mesh.rms_bend);
  give_sky(given, *sky.background);
  give_sky(given, *sky.above);
}

}  // namespace srcextract
