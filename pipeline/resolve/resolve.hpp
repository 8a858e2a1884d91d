#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// What a run measures: sources detected in the image or in a detection image; changes between frames; or light at
/// given positions, in circles or in given ellipses.
enum class RunKind { sources, difference, circles, ellipses };

/// The image that a configuration is resolved for.
struct RunImage {
  const std::string& name;  ///< in messages
  const std::string& header;
  std::string_view primary_header;
  Shape shape;
  RunKind kind;
  std::string_view reference_header = {};  ///< of a difference
  const Config* of_reference = nullptr;    ///< its configuration; null: the image's, without maps
  // The file, axes and planes for which the beam of a radio map is looked up, besides its headers
  // (io/wcs/find_beam.hpp).
  std::string path = {};
  std::vector<std::int64_t> axes = {}, planes = {1};
  std::vector<double> weights = {};  ///< of planes that are one image already
  std::size_t number = 0;            ///< index of the image among the images of its file, from 0
  std::size_t images = 1;            ///< number of images in its file
};

/// The configuration that the stages and outputs of an image see. Called once an image, with the configuration that has
/// the contents of its files (make_image_config); nothing changes the result.
/// - measurement.gain: the value of the header keyword measurement.gain_keyword, if the header has it
/// - resources.reference, resources.fresh: of the frames of a difference. Gain and saturation of the reference are
///   those of its header, else those set for it alone, else the image's.
/// - weights.type: none, if a frame of a difference has a map: the map tells the noise of that frame
/// - resources.saturation: the same for measurement.saturation_keyword, else measurement.saturation
/// - resources.beam and frequency, if a setting needs a beam; then beam.source, fwhm and angle say which beam was found
/// - background.mesh_size and mesh_height of background.mesh_beams, and detection.min_area where it is 0
/// - detection.correlated_pixels, where it is 0 and a rate of false discoveries is asked for: by the beam, or 1 without
///   one
/// - measurement.pixel_scale, if it is 0 and needed: from the WCS. Surface brightness thresholds and the columns
///   MU_MAX, MU_THRESHOLD and CLASS_STAR need it.
/// - at given positions, and for a crowd: forced_config, crowd_config
/// - resources.files: of a file with a set of numbers for each image, the set of this one. A difference has no PSF of a
///   file.
/// - output.columns: also those that alerts of a difference or outlines of apertures need; resources.written_columns
///   has what is written
///
/// Logs the pixel scale, and a warning for each value that the image lacks. Throws Error{input} if a keyword has no
/// usable number, if a threshold needs a WCS and there is none, if a beam is needed and there is none, or if a file has
/// no numbers for this image. Throws Error{config} for a difference in which Gaussians or a crowd are to be fitted,
/// and for a column of the star fit without a PSF.
Config resolve(const Config& given, const RunImage& image);

/// The configuration of a detection image, whose pixels have the size of those measured. `measured` is resolved.
Config resolve_detection(const Config& given, const Shape& image, const Config& measured);

}  // namespace srcextract
