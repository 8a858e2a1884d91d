#pragma once

#include <optional>
#include <utility>

#include "cuda/device/device.hpp"
#include "pipeline/engine/detection_graph.hpp"

namespace srcextract {

/// The detection steps on images of one shape at a time. Their memory, and the graph, are kept while the shape and the
/// configuration stay what they are; where an image has more runs or sources than there is room for, there will be.
class Detector {
 public:
  explicit Detector(Stream& stream) : stream_(stream) {}

  /// Memory for an image of that shape, and no other. Throws Error{device} that says how much is needed and how much is
  /// free if the device is short of it, `beside` included: bytes that others will take for it.
  void prepare(const Shape& shape, const Config& config, std::int64_t beside);

  /// Whether there is memory for an image of that shape.
  bool has(const Shape& shape) const { return pixels_ && shape == shape_; }

  /// To be filled before detect().
  Pixels<Gpu>& pixels() { return *pixels_; }

  /// Launches the steps. receive(graph, first) waits and returns the number of runs and of sources; `first` says that
  /// the graph is new. If that is too much the steps are done again.
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

 private:
  /// Whether the graph that there is does what this configuration says, to the pixels that there are.
  bool may_be_reused(const Config& config) const;
  void capture(const Config& config);
  void grow(const Capacity& needed);

  Stream& stream_;
  std::optional<Pixels<Gpu>> pixels_;
  std::optional<DetectionGraph> graph_;
  bool is_new_ = true;  ///< the graph has not been launched
  Config captured_;
  const float *captured_noise_ = nullptr, *captured_variance_ = nullptr,
              *captured_kept_ = nullptr;  ///< of the image, with the graph
  Shape shape_;                           ///< of the pixels
  Capacity capacity_;                     ///< for images of that shape
};

}  // namespace srcextract
