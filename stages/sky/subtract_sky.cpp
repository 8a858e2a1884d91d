#include <vector>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows_per_piece = 16;

SRCEXTRACT_VECTOR_CLONES
void subtract(const float* pixels, const float* level, std::int64_t n, float* __restrict out) {
  for (std::int64_t x = 0; x < n; ++x) out[x] = pixel_of(pixels[x] - level[x]);
}

}  // namespace

Image<float, Cpu> subtract_sky(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  Image<float, Cpu> above(image.shape, where);
  const std::int64_t width = image.shape.width;
  parallel_for(image.shape.height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    MeshRow row(mesh.grid, mesh.level, mesh.level_bend);
    std::vector<float> level(static_cast<std::size_t>(width));
    for (std::int64_t y = begin; y < end; ++y) {
      row.go_to(y);
      row.fill(level.data());
      subtract(image.pixels.data() + y * width, level.data(), width, above.pixels.data() + y * width);
    }
  });
  return above;
}

}  // namespace srcextract
