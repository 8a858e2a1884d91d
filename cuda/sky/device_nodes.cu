#include "cuda/sky/device_nodes.hpp"

#include "cuda/device/launch.hpp"
#include "stages/sky/sky_surface.hpp"

namespace srcextract {

namespace {

__global__ void fill_nodes_kernel(NodeView from, bool sloped, NodeWriter to) {
  const std::int64_t i = thread_index();
  if (i < from.width * from.height) to.set(i, filled_node(from, i % from.width, i / from.width, sloped));
}

__global__ void filter_nodes_kernel(NodeView from, BackgroundConfig config, NodeWriter to) {
  const std::int64_t i = thread_index();
  if (i < from.width * from.height) to.set(i, filtered_node(from, i % from.width, i / from.width, config));
}

__global__ void turn_to_pixels_kernel(NodeView from, NodeView units, double rms_factor, NodeWriter to) {
  const std::int64_t i = thread_index();
  if (i >= from.width * from.height) return;
  const std::int64_t x = i % from.width, y = i / from.width;
  to.set(i, node_of_units(from.at(x, y), units.at(x, y), rms_factor));
}

__global__ void surface_kernel(NodeView from, NodeView estimates, NodeWriter to) {
  const std::int64_t i = thread_index();
  if (i >= from.width * from.height) return;
  const std::int64_t x = i % from.width, y = i / from.width;
  to.set(i, on_surface(from.at(x, y), estimates, x, y));
}

}  // namespace

DeviceNodes DeviceNodes::filled(const Gpu& where, bool sloped) const {
  DeviceNodes whole(shape, where);
  fill_nodes_kernel<<<blocks_for(shape.count()), block_threads, 0, where.stream>>>(view(), sloped, whole.writer());
  check_launch();
  return whole;
}

DeviceNodes DeviceNodes::filled_and_filtered(const BackgroundConfig& config, const Gpu& where) const {
  const DeviceNodes whole = filled(where, has_sloped_gaps(config));
  DeviceNodes filtered(shape, where);
  filter_nodes_kernel<<<blocks_for(shape.count()), block_threads, 0, where.stream>>>(whole.view(), config,
                                                                                     filtered.writer());
  check_launch();
  return filtered;
}

DeviceNodes DeviceNodes::of_pixels(const NodeView& units, double rms_factor, const Gpu& where) const {
  DeviceNodes turned(shape, where);
  turn_to_pixels_kernel<<<blocks_for(shape.count()), block_threads, 0, where.stream>>>(view(), units, rms_factor,
                                                                                       turned.writer());
  check_launch();
  return turned;
}

DeviceNodes DeviceNodes::on_surface_of(const DeviceNodes& estimates, const Gpu& where) const {
  DeviceNodes smooth(shape, where);
  surface_kernel<<<blocks_for(shape.count()), block_threads, 0, where.stream>>>(view(), estimates.view(),
                                                                                smooth.writer());
  check_launch();
  return smooth;
}

}  // namespace srcextract
