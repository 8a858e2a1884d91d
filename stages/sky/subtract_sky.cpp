#include <algorithm>
#include <memory>
#include <utility>

#include "stages/core/contract.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

namespace {

/// Subtracts the level of a mesh from rows of an image. The object has a copy of the mesh, since rows on demand
/// (rows_on_demand.hpp) may be made after the mesh was destroyed.
class LevelOfMesh {
 public:
  explicit LevelOfMesh(const SkyMesh<Cpu>& mesh)
      : mesh_(std::make_shared<const SkyMesh<Cpu>>(SkyMesh<Cpu>{
            mesh.grid, copy_of(mesh.level, Cpu{}), {}, copy_of(mesh.level_bend, Cpu{}), {}, mesh.level_bounded})) {}

  /// Subtracts the level from the rows [begin, end) of `image`, and writes the result to `above`, which may be `image`.
  void subtract(const float* image, std::int64_t begin, std::int64_t end, float* above) const {
    const std::int64_t width = mesh_->grid.image.width;
    MeshRow row = MeshRow::of_level(*mesh_);
    for (std::int64_t y = begin; y < end; ++y) {
      row.go_to(y);
      row.subtract_from(image + y * width, above + y * width);
    }
  }

 private:
  std::shared_ptr<const SkyMesh<Cpu>> mesh_;
};

}  // namespace

Image<float, Cpu> subtract_sky(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  SRCEXTRACT_EXPECT(has_its_pixels(image) && mesh.grid.image == image.shape);
  return image_of_rows<float>(
      image.shape, row_memory_of(image), where,
      [from = shared_rows(image), level = LevelOfMesh(mesh)](float* above, std::int64_t begin, std::int64_t end) {
        const HeldRows held(*from, begin, end);
        level.subtract(from->pixels.data(), begin, end, above);
      });
}

Image<float, Cpu> subtract_sky(Image<float, Cpu>&& image, const SkyMesh<Cpu>& mesh, const Cpu& where) {
  SRCEXTRACT_EXPECT(has_its_pixels(image) && mesh.grid.image == image.shape);
  change_rows(image, where, [level = LevelOfMesh(mesh)](float* rows, std::int64_t begin, std::int64_t end) {
    level.subtract(rows, begin, end, rows);
  });
  return std::move(image);
}

}  // namespace srcextract
