#pragma once

#include "cuda/device/memory.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/sky/mesh_nodes.hpp"

namespace srcextract {

/// Arrays of sky level and noise in which a kernel stores mesh nodes.
struct NodeWriter {
  float *level, *rms;

  __device__ void set(std::int64_t i, const MeshNode& node) const {
    level[i] = node.level;
    rms[i] = node.rms;
  }
};

/// Sky level and noise at the nodes of a grid of meshes, in device memory.
struct DeviceNodes {
  DeviceNodes(const Shape& grid, const Gpu& where)
      : shape(grid), level(grid.count(), where), rms(grid.count(), where) {}

  NodeWriter writer() { return {level.data(), rms.data()}; }
  NodeView view() const { return {level.data(), rms.data(), shape.width, shape.height}; }

  /// Returns these nodes; bad nodes are filled from the nearest good nodes (filled_node).
  DeviceNodes filled(const Gpu& where, bool sloped = false) const;

  /// Returns the nodes from which the spline is computed: filled(), then a median filter applied.
  DeviceNodes filled_and_filtered(const BackgroundConfig& config, const Gpu& where) const;

  /// Converts these nodes to pixel values. The nodes are in units of the noise, and relative to the level, of the nodes
  /// `units` (node_of_units).
  DeviceNodes of_pixels(const NodeView& units, double rms_factor, const Gpu& where) const;

  /// Returns these nodes with the levels of the surface through `estimates` (on_surface).
  DeviceNodes on_surface_of(const DeviceNodes& estimates, const Gpu& where) const;

  Shape shape;
  Buffer<float, Gpu> level, rms;
};

/// Makes the sky of the image from the nodes of the spline. `estimates` are those of the meshes. `unmasked` is the
/// number of unmasked pixels of each mesh; null: background.all is not set.
MeshSky<Gpu> mesh_sky_of(const DeviceNodes& estimates, DeviceNodes&& nodes, const std::int64_t* unmasked,
                         const MeshGrid& grid, const BackgroundConfig& config, const Gpu& where);

}  // namespace srcextract
