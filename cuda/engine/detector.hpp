#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cuda/device/device.hpp"
#include "cuda/engine/detection_graph.hpp"

namespace srcextract {

/// The detection steps on images of one shape at a time. Their memory, and the graph, are kept while the shape and the
/// configuration stay what they are; where an image has more runs or sources than there is room for, there will be.
class Detector {
 public:
  Detector(Stream& stream, DetectionGraph::Timing timing) : stream_(stream), timing_(timing) {}

  /// Memory for at least so many images of that shape, and no other. Throws Error{device} that says how much is needed
  /// and how much is free if the device is short of it, `beside` included: bytes that others will take for them.
  void prepare(const Shape& shape, const Config& config, std::size_t images, std::int64_t beside = 0);

  /// Whether there is memory for images of that shape.
  bool has(const Shape& shape) const { return !pixels_.empty() && shape == shape_; }

  /// As many as there is memory for; every one is to be filled before detect().
  std::span<Pixels<Gpu>> pixels() { return pixels_; }

  /// To be told of an image on its way to the first of them, if its sky is one for all of it and nothing else changes
  /// its pixels; then detect() is to be called with the same configuration.
  FollowingClip& follow(const Config& config);

  /// Launches the steps on all of them. receive(graph, first) waits and returns the largest number of runs and of
  /// sources that any of them has; `first` says that the graph is new. If that is too much the steps are done again.
  template <class Receive>
  void detect(const Config& config, const Receive& receive) {
    if (!may_be_reused(config)) capture(config, DetectionGraph::Clip::in_steps);
    for (;;) {
      graph_->launch();
      const Capacity needed = receive(std::as_const(*graph_), std::exchange(is_new_, false));
      if (needed.runs <= capacity_.runs && needed.sources <= capacity_.sources) return;
      grow(needed);
      capture(config, clip_);
    }
  }

  const DetectionGraph& graph() const { return *graph_; }

 private:
  /// Whether the graph that there is does what this configuration says, to the pixels that there are.
  bool may_be_reused(const Config& config) const;
  void capture(const Config& config, DetectionGraph::Clip clip);
  void grow(const Capacity& needed);

  Stream& stream_;
  DetectionGraph::Timing timing_;
  std::vector<Pixels<Gpu>> pixels_;
  std::optional<DetectionGraph> graph_;
  DetectionGraph::Clip clip_ = DetectionGraph::Clip::in_steps;  ///< of the graph
  bool is_new_ = true;                                          ///< it has not been launched
  Config captured_;
  const float *captured_noise_ = nullptr, *captured_variance_ = nullptr,
              *captured_kept_ = nullptr;  ///< of the first image, with the graph
  Shape shape_;                           ///< of the pixels
  Capacity capacity_;                     ///< for images of that shape
};

}  // namespace srcextract
