#include "stages/sky/given_sky.hpp"

#include "cuda/device/check.hpp"
#include "cuda/device/launch.hpp"

namespace srcextract {

namespace {

__global__ void give_background_kernel(GivenSky given, Background* background) {
  give_sky(given, *background);
}

__global__ void __launch_bounds__(block_threads)
    flatten_kernel(float value, std::int64_t count, float* nodes, float* bends) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  nodes[i] = value;
  bends[i] = 0;
}

/// Sets all nodes of a map to one value, and their second derivatives to 0.
void flatten(float value, Buffer<float, Gpu>& nodes, Buffer<float, Gpu>& bends, const Gpu& where) {
  flatten_kernel<<<blocks_for(nodes.size()), block_threads, 0, where.stream>>>(value, nodes.size(), nodes.data(),
                                                                               bends.data());
  check_launch();
}

}  // namespace

void give_sky(const GivenSky& given, Value<Background, Gpu>& background, const Gpu& where) {
  give_background_kernel<<<1, 1, 0, where.stream>>>(given, background.data());
  check_launch();
}

void give_sky(const GivenSky& given, MeshSky<Gpu>& sky, const Gpu& where) {
  if (given.level) flatten(0, sky.mesh.level, sky.mesh.level_bend, where);
  if (given.rms > 0) flatten(given.rms, sky.mesh.rms, sky.mesh.rms_bend, where);
  give_sky(given, sky.background, where);
  give_sky(given, sky.above, where);
}

}  // namespace srcextract
