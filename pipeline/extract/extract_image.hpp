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
#include "pipeline/extract/dark_cores.hpp"
#include "pipeline/extract/map_photons.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/resolve/gain.hpp"
#include "stages/core/error.hpp"
#include "stages/measure/saturation.hpp"
#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// One open image, for the extraction, the log and the run record.
struct ImageInput {
  const ImageFile& file;
  const std::string& name;  ///< in messages: the path, and the HDU if several HDUs of the file are extracted
  const OpenFrame& frame;
  const OpenReference* reference;  ///< the frame that is subtracted from the image; null if there is none
  const OpenMap* weights;          ///< the open weight map; null if there is none
  const OpenMap* mask;             ///< the open mask of bad pixels; null if there is none
  const OpenMap* level;            ///< the open map of the sky level; null if there is none
  Exposure exposure;
  std::vector<const OpenFlags*> flags = {};  ///< all maps of flags for sources
  const OpenDetection* detection =
      nullptr;  ///< dual-image mode: the image in which sources are found; null if they are found in the image itself
  const OpenPositions* positions = nullptr;  ///< positions to measure; null if sources are to be found
  const Config* resolved = nullptr;          ///< configuration resolved for the image (pipeline/resolve)
  const OpenFrame* cube = nullptr;  ///< the cube whose planes are measured (measures_cube); null if there is none
  FrameGain gain = {};              ///< by its header or the configuration, also where a map holds the photons
  PhotonsOfMap photons = {};        ///< what its map of weights holds
  FrameGain reference_gain = {};    ///< of the frame that is subtracted
  PhotonsOfMap reference_photons = {};
  DarkCores dark_cores = {};  ///< cores of stars that `exposure` has as saturated, and the file has far below the sky

  const Config& config() const { return *resolved; }
  const PixelSource& first() const { return exposure.planes.front(); }
  const std::string& header() const { return frame.image().header(); }

  /// Values of the header keywords that are copied to the catalogue and the run record.
  std::vector<HeaderValue> keywords(const OutputConfig& config) const {
    return header_values(header(), frame.image().primary_header(), config.header_keywords);
  }
};

struct FoundPsf;

struct ImageResult {
  Extraction
      extraction;  ///< catalogue and data for other outputs; the catalogue has sky positions if the image has a WCS
  std::string no_sky_reason;           ///< why the catalogue has no sky positions; empty if it has
  std::vector<SkyPosition> footprint;  ///< sky positions of the corners of the image
  std::string backend;                 ///< the back end that made the catalogue: "cpu" or "cuda"
  std::vector<StepTime> times;
  BackendComparison comparison;
  std::shared_ptr<const FoundPsf>
      psf;  ///< the PSF made from the stars of this image (pipeline/extract/find_psf.hpp); null if none was made
  /// Where stars are clipped, if neither the header nor the configuration gives the level of saturation
  ClippedPeaks clipped;
  std::vector<std::string> warnings;  ///< warnings about possible problems (pipeline/extract/image_warnings.hpp)
};

/// Dual-image mode: the sources of the detection image, which are found only once and then measured in several images.
/// The pixel scale of the first measured image is used. Each back end has its own copy.
struct FoundOnce {
  std::int64_t images = 1;  ///< number of images in which the sources are measured
  std::unique_ptr<const DetectionImage> image = nullptr;
  std::optional<FoundElsewhere<Cpu>> sources = std::nullopt;
  std::shared_ptr<const CudaExtractor::Found> on_device = nullptr;
  StageRecord cpu_record = {},
              cuda_record = {};  ///< records of finding the sources, which the first image takes into its comparison
};

/// The error that the sources, or another step, need more memory than is left beside the image.
class NoRoom : public Error {
 public:
  /// `lack`: what needs how much memory, and how much there is. `remedy`: how to need less.
  NoRoom(std::string lack, const std::string& remedy)
      : Error(ErrorKind::memory, lack + " (--memory); " + remedy + ", or allow more"), lack_(std::move(lack)) {}

  const std::string& lack() const { return lack_; }

 private:
  std::string lack_;
};

/// Extracts one image on the back end of `execution`. Writes no output. `once` (dual-image mode): the sources of a
/// detection image that several images share; found and stored at the first call. Throws the errors of the stages, and
/// NoRoom.
ImageResult extract_image(const ImageInput& input, const Execution& execution, Progress& progress,
                          FoundOnce* once = nullptr);

/// The back end that found the sources ("cpu" or "cuda"), and the times of its steps.
struct FoundTimes {
  std::string backend;
  std::vector<StepTime> times;
};

/// Dual-image mode: finds the sources of the detection image and stores them in `once`. `first`: the first image in
/// which the sources will be measured. Throws the errors of the stages, and NoRoom.
FoundTimes find_once(const ImageInput& first, const Execution& execution, Progress& progress, FoundOnce& once);

}  // namespace srcextract
