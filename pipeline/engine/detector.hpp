#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cuda/device/device.hpp"
#include "pipeline/engine/detection_graph.hpp"

namespace srcextract {

/// Runs the detection steps on images, one shape at a time. Keeps memory and CUDA graph while shape and configuration
/// stay the same. If an image has more runs or sources than there is room for, the room grows.
class Detector {
 public:
  explicit Detector(Stream& stream) : stream_(stream) {}

  /// Allocates memory for an image of this shape, and frees the memory of any other. Throws Error{device} with the
  /// bytes needed and free if the device is short of memory. `beside`: bytes that other users need for the same image.
  void prepare(const Shape& shape, const Config& config, std::int64_t beside);

  /// Whether there is memory for an image of that shape.
  bool has(const Shape& shape) const { return pixels_ && shape == shape_; }

  /// Frees the memory of the last image.
  void forget() noexcept;

  /// The image's pixels, to be filled before detect().
  Pixels<Gpu>& pixels() { return *pixels_; }

  /// Launches the steps. receive(graph, first) waits and returns the numbers of runs and of sources; `first` is true
  /// for a new graph. If these numbers exceed the capacity, the capacity grows and the steps run again.
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

  /// Room for runs and sources of the image.
  const Capacity& capacity() const { return capacity_; }

 private:
  /// Whether the current graph fits this configuration and the current pixels.
  bool may_be_reused(const Config& config) const;
  /// Sets the capacity for an image of this shape, and how much of it lies in host memory. Frees cached memory before
  /// it throws Error{device}.
  void choose_room(const Shape& shape, const Config& config, std::int64_t beside);
  void capture(const Config& config);
  void grow(const Capacity& needed);

  Stream& stream_;
  std::optional<Pixels<Gpu>> pixels_;
  std::optional<DetectionGraph> graph_;
  bool is_new_ = true;  ///< the graph has not been launched
  Config captured_;
  const float *captured_noise_ = nullptr, *captured_variance_ = nullptr,
              *captured_kept_ = nullptr;  ///< addresses in the captured image
  StarView captured_star_;
  std::vector<float> captured_filter_;
  std::vector<HandedNumbers> captured_numbers_;
  Shape shape_;                   ///< shape of the pixels
  Capacity capacity_;             ///< for images of shape_
  std::int64_t host_memory_ = 0;  ///< allowed when the pixels were made
};

}  // namespace srcextract
