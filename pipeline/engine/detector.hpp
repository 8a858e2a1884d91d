#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cuda/device/device.hpp"
#include "pipeline/engine/detection_graph.hpp"

namespace srcextract {

/// Runs the detection steps on images, one after the other. Buffers and CUDA graph are kept as long as the images'
/// shape and configuration stay the same. If an image has more runs or sources than the buffers hold, the buffers are
/// made larger.
class Detector {
 public:
  explicit Detector(Stream& stream) : stream_(stream) {}

  /// Allocates pixel buffers for an image of this shape, and frees those of another shape. `beside`: bytes of device
  /// memory that other data of the image need. Throws Error{device}, with the bytes needed and free in the message, if
  /// the device lacks memory.
  void prepare(const Shape& shape, const Config& config, std::int64_t beside);

  /// Whether the pixel buffers have this shape.
  bool has(const Shape& shape) const { return pixels_ && shape == shape_; }

  /// Frees the pixel buffers and the graph.
  void forget() noexcept;

  /// The pixel buffers, to be filled before detect().
  Pixels<Gpu>& pixels() { return *pixels_; }

  /// Runs the steps on the current pixels. receive(graph, first) must wait for the graph and return the numbers of runs
  /// and sources; `first` is true at the first launch of a graph. If a number exceeds the capacity, the capacity is
  /// increased and the steps run again.
  template <class Receive>
  void detect(const Config& config, const Receive& receive) {
    if (!may_be_reused(config)) capture(config);
    for (;;) {
      graph_->launch();
      const Capacity needed = receive(std::as_const(*graph_), std::exchange(is_new_, false));
      if (needed.runs <= capacity_.runs && needed.sources <= capacity_.sources) return;
      grow(needed);
      capture(config);
    }
  }

  const DetectionGraph& graph() const { return *graph_; }

  /// Number of runs and sources that the buffers hold.
  const Capacity& capacity() const { return capacity_; }

 private:
  /// Whether the current graph was captured with this configuration and with the current addresses of the pixels.
  bool may_be_reused(const Config& config) const;
  /// Chooses the capacity for an image of this shape, and how much host memory its buffers use. If device memory is
  /// short, frees cached memory, then takes the least capacity, then uses the host memory that is allowed. Throws
  /// Error{device} if all that is not enough.
  void choose_room(const Shape& shape, const Config& config, std::int64_t beside);
  void capture(const Config& config);
  void grow(const Capacity& needed);

  Stream& stream_;
  std::optional<Pixels<Gpu>> pixels_;
  std::optional<DetectionGraph> graph_;
  bool is_new_ = true;  ///< the graph has not been launched yet
  Config captured_;
  const float *captured_noise_ = nullptr, *captured_variance_ = nullptr,
              *captured_kept_ = nullptr;  ///< addresses of the pixels with which the graph was captured
  StarView captured_star_;
  std::vector<float> captured_filter_;
  std::vector<HandedNumbers> captured_numbers_;
  bool captured_negated_ = false;
  Shape shape_;
  Capacity capacity_;             ///< for images of shape_
  std::int64_t host_memory_ = 0;  ///< limit of host memory, in bytes, when the pixel buffers were allocated
};

}  // namespace srcextract
