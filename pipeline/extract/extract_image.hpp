#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "io/fits/header_values.hpp"
#include "io/wcs/wcs.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/engine/extractor.hpp"
#include "pipeline/exposure/open_detection.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "pipeline/exposure/open_map.hpp"
#include "pipeline/exposure/open_positions.hpp"
#include "pipeline/exposure/open_reference.hpp"
#include "pipeline/extract/backend_comparison.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// One image as read, for the log and the report.
struct ImageInput {
  const ImageFile& file;
  const std::string& name;  ///< in messages: the path, and the HDU if several of the file are extracted
  const OpenFrame& frame;
  const OpenReference* reference;  ///< the frame subtracted from it; null: none
  const OpenMap* weights;          ///< its noise map; null: there is none
  const OpenMap* mask;             ///< the mask of bad pixels; null: there is none
  const OpenMap* level;            ///< its sky level; null: there is no map
  Exposure exposure;
  std::vector<const OpenFlags*> flags = {};  ///< every map that sources are flagged with
  const OpenDetection* detection = nullptr;  ///< the image in which sources are detected; null: this image itself
  const OpenPositions* positions = nullptr;  ///< positions to measure; null: detected sources
  const Config* resolved = nullptr;          ///< its configuration (pipeline/resolve)
  const OpenFrame* cube = nullptr;           ///< whose planes are measured (measures_cube); null: none

  const Config& config() const { return *resolved; }
  const PixelSource& first() const { return exposure.planes.front(); }
  const std::string& header() const { return frame.image().header(); }

  /// Header values that catalogue and report repeat.
  std::vector<HeaderValue> keywords(const OutputConfig& config) const {
    return header_values(header(), frame.image().primary_header(), config.header_keywords);
  }
};

struct FoundPsf;

/// Result of extracting one image.
struct ImageResult {
  Extraction extraction;               ///< catalogue and check data, with sky positions if the image has a WCS
  std::string no_sky_reason;           ///< why sources have no sky positions; empty if they have them
  std::vector<SkyPosition> footprint;  ///< sky positions of the image's corners
  std::string backend;                 ///< of the catalogue: cpu or cuda
  std::vector<StepTime> times;
  BackendComparison comparison;
  std::shared_ptr<const FoundPsf> psf;  ///< the PSF made from this image (pipeline/extract/find_psf.hpp); null: none
                                        ///< was made
  std::vector<std::string> warnings;    ///< possible problems (pipeline/extract/image_warnings.hpp)
};

/// Sources of the detection image: found once, with the first measured image's pixel scale, and reused for the others.
/// Each back end keeps its own copy.
struct FoundOnce {
  std::int64_t images = 1;  ///< number of measured images
  std::unique_ptr<const DetectionImage> image = nullptr;
  std::optional<FoundElsewhere<Cpu>> sources = std::nullopt;
  std::shared_ptr<const CudaExtractor::Found> on_device = nullptr;
  StageRecord cpu_record = {}, cuda_record = {};  ///< record of finding the sources, until an image takes it into its
                                                  ///< comparison
};

/// Sources need more memory than is left beside their image.
class NoRoom : public Error {
 public:
  /// `lack` says what needs how much, and how much there is; `remedy` how to need less.
  NoRoom(std::string lack, const std::string& remedy)
      : Error(ErrorKind::memory, lack + " (--memory); " + remedy + ", or allow more"), lack_(std::move(lack)) {}

  const std::string& lack() const { return lack_; }

 private:
  std::string lack_;
};

/// Extracts one image where `execution` says. Writes nothing. Throws the errors of the stages, and NoRoom. `once` keeps
/// the sources of a detection image that several images share.
ImageResult extract_image(const ImageInput& input, const Execution& execution, Progress& progress,
                          FoundOnce* once = nullptr);

/// The back end that found the sources, and its times.
struct FoundTimes {
  std::string backend;
  std::vector<StepTime> times;
};

/// Finds the sources of the detection image and keeps them in `once`. `first` is the first image in which they will be
/// measured. Throws the errors of the stages.
FoundTimes find_once(const ImageInput& first, const Execution& execution, Progress& progress, FoundOnce& once);

}  // namespace srcextract
