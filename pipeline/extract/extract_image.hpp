#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/engine/extractor.hpp"
#include "io/fits/header_values.hpp"
#include "io/wcs/wcs.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/exposure/open_detection.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "pipeline/exposure/open_map.hpp"
#include "pipeline/exposure/open_positions.hpp"
#include "pipeline/exposure/open_reference.hpp"
#include "pipeline/extract/backend_comparison.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// Wall time of one step.
struct StepTime {
  std::string step;
  double seconds = 0;
};

/// One image as it came in: what the log and the report say about it.
struct ImageInput {
  const ImageFile& file;
  const std::string& name;  ///< in messages: the path, and the HDU if several of the file are extracted
  const OpenFrame& frame;
  const OpenReference* reference;  ///< subtracted from it; null: none
  const OpenMap* weights;          ///< how noisy it is; null: there is no map
  const OpenMap* mask;             ///< which pixels are left out; null: there is none
  const OpenMap* level;            ///< that of its sky; null: there is no map
  Exposure exposure;
  std::vector<const OpenFlags*> flags = {};  ///< what sources are flagged with, by every map that there is
  const OpenDetection* detection = nullptr;  ///< in which its sources are found; null: in itself
  const OpenPositions* positions = nullptr;  ///< at which it is measured; null: where its sources are
  const Config* own_config = nullptr;        ///< with the gain that its header has; null: that of the file

  const Config& config() const { return own_config != nullptr ? *own_config : file.config->config; }
  const PixelSource& first() const { return exposure.planes.front(); }
  const std::string& header() const { return frame.image().header(); }

  /// What catalogue and report repeat of its header.
  std::vector<HeaderValue> keywords(const OutputConfig& config) const {
    return header_values(header(), frame.image().primary_header(), config.header_keywords);
  }
};

/// What became of one image.
struct ImageResult {
  Extraction extraction;               ///< with sky positions, if the image has any
  std::string no_sky_reason;           ///< why it has none; empty if it has
  std::vector<SkyPosition> footprint;  ///< where the corners of the image are
  std::string backend;                 ///< that made the catalogue: cpu or cuda
  std::vector<StepTime> times;
  std::vector<StageComparison> comparison;  ///< empty unless back ends were compared
  std::vector<std::string> warnings;        ///< what may be wrong with it (pipeline/extract/image_warnings.hpp)
};

/// The sources of an image in which those of others are found: by the first of these that is extracted, in whose pixel
/// scale thresholds are, and kept for the rest by every back end that has found them.
struct FoundOnce {
  std::int64_t images = 1;  ///< that are measured
  std::unique_ptr<const DetectionImage> image = nullptr;
  std::optional<FoundElsewhere<Cpu>> sources = std::nullopt;
  std::shared_ptr<const CudaExtractor::Found> on_device = nullptr;
  StageRecord cpu_record = {}, cuda_record = {};  ///< of how they were found, until an image has them in its comparison
};

/// Takes one image through the pipeline, where `execution` says; where it may fall back, an image that the device
/// cannot take goes to the CPU, unless the device is lost. Writes nothing. Throws what the stages throw. `once`, of an
/// image with a detection image that others have as well: where its sources are kept.
ImageResult extract_image(const ImageInput& input, const Execution& execution, Progress& progress,
                          FoundOnce* once = nullptr);

/// What finding sources took, and where.
struct FoundTimes {
  std::string backend;
  std::vector<StepTime> times;
};

/// Finds these sources before `first`, the first of the images, is extracted, whose configuration is `config`
/// (with_scale_of_thresholds), where `execution` says. Throws what the stages throw.
FoundTimes find_once(const ImageInput& first, const Config& config, const Execution& execution, Progress& progress,
                     FoundOnce& once);

}  // namespace srcextract
