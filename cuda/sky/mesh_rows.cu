#include "cuda/sky/mesh_rows.hpp"

#include "cuda/device/launch.hpp"
#include "cuda/sky/bend_nodes.hpp"

namespace srcextract {

namespace {

/// Interpolates the nodes vertically to every row of the image, with a thread for each pair of node column and image
/// row. Neighbouring threads handle neighbouring rows.
__global__ void fill_rows_kernel(MeshGrid grid, const float* nodes, const float* bends, bool bounded, float* rows) {
  const std::int64_t i = thread_index(), x = i / grid.image.height, y = i % grid.image.height;
  if (x < grid.nodes.width)
    rows[i] = NodePlace(y, grid.mesh.height, grid.nodes.height).at(nodes + x, bends + x, grid.nodes.width, bounded);
}

/// Computes the second derivatives along every image row at the columns of nodes, with a thread per row.
__global__ void bend_rows_kernel(MeshGrid grid, const float* rows, float* bends) {
  const std::int64_t y = thread_index();
  if (y < grid.image.height) bend_nodes(rows + y, grid.nodes.width, grid.image.height, bends + y);
}

}  // namespace

MeshRows::MeshRows(const MeshGrid& grid, const Buffer<float, Gpu>& nodes, const Buffer<float, Gpu>& bends, bool bounded,
                   const Gpu& where)
    : grid_(grid),
      bounded_(bounded),
      nodes_(grid.nodes.width * grid.image.height, where),
      bends_(grid.nodes.width * grid.image.height, where) {
  fill_rows_kernel<<<blocks_for(nodes_.size()), block_threads, 0, where.stream>>>(grid, nodes.data(), bends.data(),
                                                                                  bounded, nodes_.data());
  check_launch();
  // threads per block: rows are few, and small blocks spread them over more multiprocessors
  constexpr unsigned int few = 32;
  bend_rows_kernel<<<static_cast<unsigned int>((grid.image.height + few - 1) / few), few, 0, where.stream>>>(
      grid, nodes_.data(), bends_.data());
  check_launch();
}

}  // namespace srcextract
