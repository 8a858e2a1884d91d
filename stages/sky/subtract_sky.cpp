#include <utility>
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

SRCEXTRACT_VECTOR_CLONES
void subtract_in_place(const float* __restrict level, std::int64_t n, float* pixels) {
  for (std::int64_t x = 0; x < n; ++x) pixels[x] = pixel_of(pixels[x] - level[x]);
}

/// f(y, the level of every pixel of row y).
template <class F>
void for_each_row(const Shape& shape, const SkyMesh<Cpu>& mesh, const Cpu& where, const F& f) {
  parallel_for(shape.height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    MeshRow row(mesh.grid, mesh.level, mesh.level_bend);
    std::vector<float> level(static_cast<std::size_t>(shape.width));
    for (std::int64_t y = begin; y < end; ++y) {
      row.go_to(y);
      row.fill(level.data());
      f(y, level.data());
    }
  });
}

}  // namespace

Image<float, Cpu> subtract_sky(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  Image<float, Cpu> above(image.shape, where);
  const std::int64_t width = image.shape.width;
  for_each_row(image.shape, mesh, where, [&](std::int64_t y, const float* level) {
    subtract(image.pixels.data() + y * width, level, width, above.pixels.data() + y * width);
  });
  return above;
}

Image<float, Cpu> subtract_sky(Image<float, Cpu>&& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  const std::int64_t width = image.shape.width;
  for_each_row(image.shape, mesh, where, [&](std::int64_t y, const float* level) {
    subtract_in_place(level, width, image.pixels.data() + y * width);
  });
  return std::move(image);
}

}  // namespace srcextract
