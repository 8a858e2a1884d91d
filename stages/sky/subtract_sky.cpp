#include <utility>

#include "stages/core/parallel.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows_per_piece = 16;

void subtract(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, Image<float, Cpu>& above, const Cpu& where) {
  const auto [width, height] = image.shape;
  parallel_for(height, rows_per_piece, where, [&, width = width](std::int64_t begin, std::int64_t end) {
    MeshRow row(mesh.grid, mesh.level, mesh.level_bend);
    for (std::int64_t y = begin; y < end; ++y) {
      row.go_to(y);
      row.subtract_from(image.pixels.data() + y * width, above.pixels.data() + y * width);
    }
  });
}

}  // namespace

Image<float, Cpu> subtract_sky(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  Image<float, Cpu> above(image.shape, where);
  subtract(image, mesh, above, where);
  return above;
}

Image<float, Cpu> subtract_sky(Image<float, Cpu>&& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  subtract(image, mesh, image, where);
  return std::move(image);
}

}  // namespace srcextract
