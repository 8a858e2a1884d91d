#pragma once

#include "cuda/device/memory.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/mesh_nodes.hpp"

namespace srcextract {

/// Nodes that a kernel writes.
struct NodeWriter {
  float *level, *rms;

  __device__ void set(std::int64_t i, const MeshNode& node) const {
    level[i] = node.level;
    rms[i] = node.rms;
  }
};

/// Level and noise at the nodes of a grid, in device memory.
struct DeviceNodes {
  DeviceNodes(const Shape& grid, const Gpu& where)
      : shape(grid), level(grid.count(), where), rms(grid.count(), where) {}

  NodeWriter writer() { return {level.data(), rms.data()}; }
  NodeView view() const { return {level.data(), rms.data(), shape.width, shape.height}; }

  /// Returns the nodes for the spline: bad nodes are filled, then the median filter is applied.
  DeviceNodes filled_and_filtered(const BackgroundConfig& config, const Gpu& where) const;

  /// Converts these nodes, which are in units of the nodes `units`, to pixel values (node_of_units).
  DeviceNodes of_pixels(const NodeView& units, double rms_factor, const Gpu& where) const;

  Shape shape;
  Buffer<float, Gpu> level, rms;
};

}  // namespace srcextract
