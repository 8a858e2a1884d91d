#pragma once

#include "cuda/engine/detection_graph.hpp"
#include "cuda/engine/results.hpp"

namespace srcextract {

/// What the host learns of the images of one launch: brought by one kernel, into page-locked memory that is kept.
class GroupResults {
 public:
  /// Waits for the stream; the results are there until the next call.
  void receive(std::span<const Pixels<Gpu>> images, const DetectionGraph& graph, const Gpu& where);

  const ImageSummary& summary(std::size_t image) const;

  /// The sums of all sources of an image, whether they came along or are fetched now; until the next call.
  std::span<const SourceSums> sums(std::size_t image, const DetectionGraph& graph, const Gpu& where);

 private:
  std::byte* place(std::size_t image);
  const std::byte* place(std::size_t image) const;

  PinnedBuffer memory_{0};              ///< of every image the summary, then the rows that come along
  std::int64_t rows_ = 0;               ///< of an image that come along
  Buffer<SourceSums, Cpu> unforeseen_;  ///< rows of an image that has more
};

}  // namespace srcextract
