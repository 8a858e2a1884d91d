#include <algorithm>
#include <memory>
#include <utility>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t rows_per_piece = 16;

void subtract_rows(const float* image, const SkyMesh<Cpu>& mesh, std::int64_t width, std::int64_t begin,
                   std::int64_t end, float* above) {
  MeshRow row(mesh.grid, mesh.level, mesh.level_bend);
  for (std::int64_t y = begin; y < end; ++y) {
    row.go_to(y);
    row.subtract_from(image + y * width, above + y * width);
  }
}

void subtract(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, Image<float, Cpu>& above, const Cpu& where) {
  const auto [width, height] = image.shape;
  parallel_for(height, rows_per_piece, where, [&, width = width](std::int64_t begin, std::int64_t end) {
    subtract_rows(image.pixels.data(), mesh, width, begin, end, above.pixels.data());
  });
}

Buffer<float, Cpu> copy_of(const Buffer<float, Cpu>& buffer) {
  Buffer<float, Cpu> copy(buffer.size(), Cpu{});
  std::copy(buffer.begin(), buffer.end(), copy.begin());
  return copy;
}

/// The image minus the sky, whose rows are made on demand from those of `image`.
Image<float, Cpu> subtract_on_demand(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh) {
  struct Input {
    Image<float, Cpu> image;
    SkyMesh<Cpu> mesh;  ///< without its noise
  };
  const auto from = std::make_shared<const Input>(
      Input{same_rows(image), {mesh.grid, copy_of(mesh.level), {}, copy_of(mesh.level_bend), {}}});
  return image_on_demand<float>(
      image.shape, image.rows->memory(), [from](float* above, std::int64_t begin, std::int64_t end) {
        const HeldRows rows(from->image, begin, end);
        subtract_rows(from->image.pixels.data(), from->mesh, from->image.shape.width, begin, end, above);
      });
}

}  // namespace

Image<float, Cpu> subtract_sky(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  if (is_on_demand(image)) return subtract_on_demand(image, mesh);
  Image<float, Cpu> above(image.shape, where);
  subtract(image, mesh, above, where);
  return above;
}

Image<float, Cpu> subtract_sky(Image<float, Cpu>&& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  if (is_on_demand(image)) return subtract_on_demand(image, mesh);
  subtract(image, mesh, image, where);
  return std::move(image);
}

}  // namespace srcextract
