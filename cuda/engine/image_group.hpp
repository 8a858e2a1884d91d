#pragma once

#include "cuda/engine/detector.hpp"
#include "cuda/engine/extractor.hpp"
#include "cuda/engine/image_group_ingest.hpp"
#include "cuda/engine/image_group_results.hpp"

namespace srcextract {

/// What is kept between groups of images that share a launch.
class CudaExtractor::Group {
 public:
  Group(int device, const Cpu& host) : host_(host), stream_(device) {}

  std::vector<Extracted> extract(std::span<const PixelSource> sources, const Config& config);

 private:
  const Gpu& where() const { return stream_.where(); }
  void detect(const Config& config);
  Extraction finish(std::size_t image, const Shape& shape, const Config& config, const Observer& observer);

  Cpu host_;
  Stream stream_;
  GroupIngester ingester_{stream_.where()};
  Detector detector_{stream_, DetectionGraph::Timing::none};
  GroupResults results_;
};

}  // namespace srcextract
