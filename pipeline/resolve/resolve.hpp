#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "pipeline/resolve/gain.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// The task of a run: to measure detected sources, to measure the difference of two images, or to measure light in
/// circles or ellipses at given positions. Sources are detected in the image or in a detection image.
enum class RunKind { sources, difference, circles, ellipses };

/// The image for which a configuration is resolved.
struct RunImage {
  const std::string& name;  ///< the image's name in messages
  const std::string& header;
  std::string_view primary_header;
  Shape shape;
  RunKind kind;
  std::string_view reference_header = {};  ///< header of a difference's reference image; empty: no difference
  /// Configuration of the reference image; null: `given`, without weight and mask maps.
  const Config* of_reference = nullptr;
  // The file, axes and planes in which the beam of a radio map is searched, besides the headers (io/wcs/find_beam.hpp).
  std::string path = {};
  std::vector<std::int64_t> axes = {}, planes = {1};
  /// Weights with which planes were combined into this image; empty: nothing was combined.
  std::vector<double> weights = {};
  std::size_t number = 0;  ///< index of the image, from 0, among the images of the image's file
  std::size_t images = 1;  ///< number of images in that file
  std::string_view reference_primary_header = {};
  std::size_t combined = 0;  ///< number of planes that were combined into this image by combine.method
};

/// The settings of one image, and why it has this gain. Of a difference, also that of the reference image.
struct Resolved {
  Config config;
  FrameGain gain = {}, reference_gain = {};

  /// The same with this configuration.
  Resolved with(Config changed) && { return {std::move(changed), std::move(gain), std::move(reference_gain)}; }
};

/// Resolves the settings of `given` that depend on the image. The stages and outputs of the image use the result
/// unchanged. `given` must contain the contents of the files that `given` names (make_image_config). The following
/// settings of the result differ from `given`:
/// - measurement.gain: the electrons of a pixel value (find_gain).
/// - resources.saturation: the number of the header keyword measurement.saturation_keyword if it is above 0, else
///   measurement.saturation.
/// - resources.reference, resources.fresh: settings of the two images of a difference. Gain and saturation of the
///   reference image come from the header of that image, else from the settings for that image alone, else from the new
///   image.
/// - weights.type: none if an image of a difference has a weight map, since that map then gives the noise of that
///   image.
/// - resources.beam, resources.frequency: set if a setting needs a beam. beam.source, beam.fwhm and beam.angle then
///   tell which beam was found.
/// - background.mesh_size and mesh_height: computed if background.mesh_beams gives the size in beams.
/// - detection.min_area: computed from the beam if `given` has 0.
/// - detection.correlated_pixels: computed if `given` has 0 and sets a rate of false discoveries; 1 without a beam.
/// - measurement.pixel_scale: taken from the WCS if `given` has 0 and the scale is needed. Surface brightness
///   thresholds and the columns MU_MAX, MU_THRESHOLD and CLASS_STAR need the scale.
/// - Settings that do not apply at given positions or to a crowded field (forced_config, crowd_config).
/// - resources.files: of a file with a set of numbers for each image, such as PSFs, only the set of this image. For a
///   difference, no PSF from a file. A PSF is normalised if psf.normalise is `total`.
/// - fit.model: none at given positions.
/// - combine: the default if planes were already combined into the image.
/// - detection.threshold_unit: detection_sigma if changes are detected in a score.
/// - resources.has_star_profile, resources.class_scale: set for the difference's stars and for CLASS_STAR.
/// - output.columns: also the columns that alerts of a difference or outlines of apertures need.
///   resources.written_columns then has the columns to write.
///
/// Logs the pixel scale, and each value that the image lacks. Messages about missing header keywords are warnings only
/// if config.kept.as_sextractor is set.
///
/// Throws Error{input} if a threshold needs a WCS that is missing, if a beam is
/// needed and missing, or if a file has no numbers for this image. Throws Error{config} if Gaussians or a crowd are to
/// be fitted to a difference, and if a column of the star fit is requested without a PSF.
Resolved resolve(const Config& given, const RunImage& image);

/// Resolves the configuration of a detection image, which has the same pixels as the measured image. `measured` is the
/// resolved configuration of the measured image. Throws Error{config} if a setting needs a beam and `measured` has
/// none.
Config resolve_detection(const Config& given, const Shape& image, const Config& measured);

}  // namespace srcextract
