// Estimates the sky of images by meshes for tests/truth/test_mesh.py: read from stdin one after the other, each as
// int32 width and height, those of a mesh, those of the filter, and estimator (0 sextractor, 1 median), and its
// float32 pixels. To stdout go, in float32, the levels of the nodes, their RMS, and the pixels above the sky.
#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

#include "stages/sky/mesh.hpp"
#include "tests/truth/programs/stage_program.hpp"

namespace srcextract {
namespace {

using testing::Backend;

template <class Where>
void write(const Backend<Where>& backend, const Buffer<float, Where>& values) {
  const std::vector<float> all = backend.get(values);
  std::cout.write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(all.size() * sizeof(float)));
}

template <class Where>
void estimate_all(const Backend<Where>& backend) {
  for (std::array<std::int32_t, 7> head{}; std::cin.read(reinterpret_cast<char*>(head.data()), sizeof(head));) {
    Image<float, Where> image;
    image.shape = {head[0], head[1]};
    std::vector<float> pixels(static_cast<std::size_t>(image.shape.count()));
    std::cin.read(reinterpret_cast<char*>(pixels.data()), static_cast<std::streamsize>(pixels.size() * sizeof(float)));
    if (!std::cin) throw Error(ErrorKind::input, "the last image is cut short");
    image.pixels = backend.put(pixels);
    BackgroundConfig config;
    config.mesh_size = head[2];
    config.mesh_height = head[3];
    config.filter_size = head[4];
    config.filter_height = head[5];
    config.estimator = static_cast<BackgroundEstimator>(head[6]);
    const MeshSky<Where> sky = estimate_mesh(image, config, backend.where());
    write(backend, sky.mesh.level);
    write(backend, sky.mesh.rms);
    write(backend, subtract_sky(image, sky.mesh, backend.where()).pixels);
  }
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  return srcextract::testing::work_on_backend("sky_meshes", argc, argv,
                                              [](const auto& backend) { srcextract::estimate_all(backend); });
}
