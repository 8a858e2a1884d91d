#pragma once

#include <memory>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

struct DetectionImage;
struct ForcedPositions;

/// The pipeline on a GPU, for one thread at a time and image after image: it keeps its memory, and the graph of the
/// detection steps, for as long as images have the same shape. Several, on whatever devices, do not disturb each other.
class CudaExtractor {
 public:
  /// `host` threads read the files. Nothing is done on the device before the first image.
  CudaExtractor(int device, const Cpu& host);
  ~CudaExtractor();
  CudaExtractor(const CudaExtractor&) = delete;
  CudaExtractor& operator=(const CudaExtractor&) = delete;

  /// From now on nobody tidies up after extractors that end: the system does, when the process ends, as it will soon.
  static void leave_all_to_the_system();

  /// Sources that are kept on the device, with the image in which they were found. The extractor must outlive them.
  class Found;

  /// One image; with `sources` these are measured in it, and nothing is found (extract_on_host). Throws what the stages
  /// throw, and Error{device} that says how much memory is needed and how much is free if the device is short of it.
  Extraction extract(const Exposure& exposure, const Config& config, const Observer& observer,
                     const Found* sources = nullptr);

  /// The sources of an image, by the configuration that it has, to be measured in others (find_on_host). The image must
  /// outlive them.
  std::shared_ptr<const Found> find(const DetectionImage& image, const Observer& observer);

  /// Light at places that are told, where nothing is found (measure_on_host): the device reads the image and subtracts
  /// its sky, the host measures.
  Extraction measure(const Exposure& exposure, const Config& config, const ForcedPositions& positions,
                     const Observer& observer);

 private:
  class Session;
  Session& session();

  [[maybe_unused]] int device_;
  Cpu host_;
  std::unique_ptr<Session> session_;
};

}  // namespace srcextract
