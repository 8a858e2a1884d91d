#pragma once

#include <algorithm>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/mesh_nodes.hpp"
#include "stages/sky/mesh_pixels.hpp"

namespace srcextract {

/// Level and noise at the nodes of a mesh on the CPU, in the steps between the estimates and the spline.
struct NodeBuffers {
  NodeBuffers(const Shape& grid, const Cpu& where)
      : shape(grid), level(grid.count(), where), rms(grid.count(), where) {}

  NodeView view() const { return {level.data(), rms.data(), shape.width, shape.height}; }

  /// Returns new nodes. Node (x, y) is make(view of these nodes, x, y).
  template <class Make>
  NodeBuffers made(const Cpu& where, const Make& make) const {
    NodeBuffers out(shape, where);
    const NodeView from = view();
    parallel_for(shape.height, 1, where, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t y = begin; y < end; ++y) {
        for (std::int64_t x = 0; x < shape.width; ++x) {
          const MeshNode node = make(from, x, y);
          out.level[y * shape.width + x] = node.level;
          out.rms[y * shape.width + x] = node.rms;
        }
      }
    });
    return out;
  }

  /// Returns these nodes; bad nodes are filled from the nearest good nodes (filled_node).
  NodeBuffers filled(const Cpu& where, bool sloped = false) const {
    return made(where,
                [=](const NodeView& all, std::int64_t x, std::int64_t y) { return filled_node(all, x, y, sloped); });
  }

  /// Returns the nodes for the spline: replaces bad nodes by the mean of near nodes, then applies the median filter.
  NodeBuffers filled_and_filtered(const BackgroundConfig& config, const Cpu& where) const {
    return filled(where, has_sloped_gaps(config)).made(where, [&](const NodeView& all, std::int64_t x, std::int64_t y) {
      return filtered_node(all, x, y, config);
    });
  }

  Shape shape;
  Buffer<float, Cpu> level, rms;
};

/// Estimates level and noise of a mesh from its histogram. `survivors` has the sums over the pixels that survive the
/// cut at 2 sigma about the mean.
MeshNode node_by_histogram(const MeshPixels& pixels, const MeshSums& survivors, const BackgroundConfig& config);

/// Makes the sky of the image from the nodes of the spline. `estimates` are those of the meshes, of which
/// background.mesh counts the bad ones. background.all is not set.
MeshSky<Cpu> mesh_sky_of(const NodeBuffers& estimates, NodeBuffers&& nodes, const MeshGrid& grid,
                         const BackgroundConfig& config, const Cpu& where);

inline float median_of(std::vector<float> values) {
  if (values.empty()) return 1;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle : middle_of(*std::max_element(values.begin(), middle), *middle);
}

}  // namespace srcextract
