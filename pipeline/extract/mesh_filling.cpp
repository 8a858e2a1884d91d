#include "pipeline/extract/mesh_filling.hpp"

#include <algorithm>
#include <vector>

#include "stages/sky/mesh.hpp"

namespace srcextract {
namespace {

/// The first and last pixel of a source along one axis, from 0. in_mesh(i, mesh) is the number of these pixels in mesh
/// `i`, where all meshes have `mesh` pixels along the axis.
struct Extent {
  std::int64_t first, last;

  std::int64_t in_mesh(std::int64_t i, std::int64_t mesh) const {
    return std::min(last, (i + 1) * mesh - 1) - std::max(first, i * mesh) + 1;
  }
  std::int64_t length() const { return last - first + 1; }
};

}  // namespace

MeshFilling fill_meshes(const Sources& catalogue, const Shape& image, const Shape& mesh) {
  const UsualValues sources(catalogue);
  MeshFilling filling;
  const MeshGrid grid = mesh_grid(image, mesh);
  std::vector<double> covered(static_cast<std::size_t>(grid.nodes.count()));
  for (std::size_t row = 0; row < sources.npix.size(); ++row) {
    const std::int64_t pixels = sources.npix[row];
    if (pixels > filling.largest_pixels) {
      filling.largest = static_cast<std::int64_t>(row) + 1;
      filling.largest_pixels = pixels;
    }
    const Extent along_x{sources.xmin_image[row] - 1, sources.xmax_image[row] - 1};
    const Extent along_y{sources.ymin_image[row] - 1, sources.ymax_image[row] - 1};
    const double density = static_cast<double>(pixels) / static_cast<double>(along_x.length() * along_y.length());
    for (std::int64_t y = along_y.first / mesh.height; y <= along_y.last / mesh.height; ++y) {
      for (std::int64_t x = along_x.first / mesh.width; x <= along_x.last / mesh.width; ++x)
        covered[static_cast<std::size_t>(y * grid.nodes.width + x)] +=
            density * static_cast<double>(along_x.in_mesh(x, mesh.width) * along_y.in_mesh(y, mesh.height));
    }
  }
  for (std::int64_t i = 0; i < grid.nodes.count(); ++i) {
    const std::int64_t x = i % grid.nodes.width * mesh.width, y = i / grid.nodes.width * mesh.height;
    const std::int64_t width = std::min(mesh.width, image.width - x), height = std::min(mesh.height, image.height - y);
    const double share = std::min(1.0, covered[static_cast<std::size_t>(i)] / static_cast<double>(width * height));
    if (4 * width * height < mesh.count()) continue;
    filling.filled += share > 0.5 ? 1 : 0;
    if (share <= filling.most) continue;
    filling.most = share;
    filling.x = x + (width + 1) / 2;
    filling.y = y + (height + 1) / 2;
  }
  return filling;
}

}  // namespace srcextract
