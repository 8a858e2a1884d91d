#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "stages/settings/settings.hpp"

namespace srcextract::config {

// Functions that check the value of a key against the values of other keys. Each returns the text that follows the
// key's name in an error message, such as "needs weights"; empty if there is no error.
//
// Functions whose names end in `use` return Field::unused: the message for a value that differs from the default but
// has no effect.

/// A message that names the setting `needed` if `value` differs from the default `usual` although the key is not
/// `used`; else empty.
template <class T>
std::string use_problem(bool used, const T& value, const std::type_identity_t<T>& usual, const std::string& needed) {
  return used || value == usual ? "" : "has no use but with " + needed;
}

inline std::string first_of(const std::string& one, const std::string& other) {
  return one.empty() ? other : one;
}

/// Check the keys of the mesh and of check images. background.method mesh excludes a reference level of zero. A mesh
/// needs enough pixels, and a median filter an odd size. A check image must exist with the given settings.
std::string method_problem(const Settings& config);
std::string mesh_size_use(const BackgroundConfig& config);
std::string mesh_beams_problem(const BackgroundConfig& config);
std::string filter_size_problem(const BackgroundConfig& config);
std::string filter_height_problem(const BackgroundConfig& config);
std::string mesh_height_problem(const BackgroundConfig& config);
std::string check_images_problem(const Settings& config);

/// Check the keys of a given sky. A given level excludes a reference level of zero, `level_hdu` needs a map, and the
/// noise must be a number.
std::string level_problem(const Settings& config);
std::string level_hdu_problem(const GivenSkyConfig& config);
std::string level_hdu_use(const GivenSkyConfig& config);
std::string rms_problem(const GivenSkyConfig& config);

/// Names of the settings that need a beam, for error messages.
inline constexpr const char* beam_users = "fit.model gaussians or background.mesh_beams";
/// Checks that a given beam has two widths above 0, the larger first.
std::string beam_width_problem(const BeamConfig& config);

/// Checks fit.model. Gaussians are fitted only to islands (connected pixels above the threshold) that are found in the
/// image itself, are brighter than the sky and are not deblended. Thresholds must be in units of the noise.
std::string fit_problem(const Settings& config);

/// Checks model.fit, which needs the shape of stars and sources that were found one by one.
std::string model_problem(const Settings& config);

/// Checks that crowd.method joint comes without any setting that detects, divides or measures sources in another way,
/// or needs the pixels of sources.
std::string crowd_problem(const Settings& config);

/// Checks that a list of several HDUs does not contain `all` or `auto`.
std::string names_problem(const HduNames& hdus);
/// Checks that the HDUs of a map are not all HDUs of the image's file, which would leave no image to extract. `file` is
/// the map's file; empty: the image's file.
std::string map_hdu_problem(const HduNames& hdus, const std::string& file);

/// Check the lists of images to combine: at most one of planes, hdus and files may be given, and none with
/// combine.method none. combine.method weighted needs a weight for each image, not all 0.
std::string combined_use(const CombineConfig& config, bool given);
std::string planes_problem(const CombineConfig& config);
std::string hdus_problem(const CombineConfig& config, const InputConfig& input);
std::string files_problem(const CombineConfig& config, const InputConfig& input);
std::string weights_problem(const CombineConfig& config);

/// Check the keys of the kernel. Each shape needs its own lengths, and a kernel may not be too large.
std::string shape_problem(const ConvolveConfig& config);
std::string fwhm_problem(const ConvolveConfig& config);
std::string sigma_problem(const ConvolveConfig& config);
std::string radius_problem(const ConvolveConfig& config);
std::string size_problem(const ConvolveConfig& config);
std::string values_problem(const ConvolveConfig& config);

/// Error message if the star width is given for only this one of the two frames. `own` and `other` are the FWHM in
/// pixels of this and the other frame; 0: not given.
std::string width_problem(double own, double other);

/// Check the keys of the weight map. If weights.type needs a map, weights.file or weights.hdu must name the map. Else
/// the other keys have no use; weights.beyond also needs weights.threshold. weights.hdu must leave an image to extract.
std::string type_problem(const WeightsConfig& config);
std::string map_use(const WeightsConfig& config, bool given);
std::string beyond_use(const WeightsConfig& config);
std::string hdu_problem(const WeightsConfig& config);
/// Error message if `pixels`, the value of interpolate_columns or interpolate_rows, differs from the default but
/// nothing is interpolated.
std::string interpolated_use(const WeightsConfig& config, std::int64_t pixels);

/// Check the keys of the mask: its HDUs must leave an image to extract, and mask.bits needs a map.
std::string hdu_problem(const MaskConfig& config);
std::string bits_use(const MaskConfig& config);

/// Check the keys of a flag map, as those of the mask. Further flag maps need a first flag map, and each of them must
/// name its map.
std::string hdu_problem(const FlagMapConfig& config);
std::string type_use(const FlagMapConfig& config);
std::string bits_use(const FlagMapConfig& config);
std::string further_use(const FlagsConfig& config);
std::string further_problem(const FlagsConfig& config);
std::string further_map_problem(const FlagMapConfig& config);

/// Check the keys of the threshold. A surface brightness needs a zero point, a search for sources fainter than the sky
/// needs a sky level, and the seed must be brighter than the threshold.
std::string threshold_unit_problem(const Settings& config);
std::string sign_problem(const Settings& config);
std::string seed_problem(const DetectionConfig& config);

/// Error message if detection.min_area is above detection.max_area, so that every source would be dropped.
std::string max_area_problem(const DetectionConfig& config);

/// Checks, as far as possible without the image, that the threshold is above the sky if deblend.method is tree.
std::string deblend_method_problem(const Settings& config);

/// Checks, as far as possible without the image, that the threshold is above the sky if deblend.clean is true.
std::string deblend_clean_problem(const Settings& config);

/// Check the keys of the false discovery rate. The rate assumes normal noise, so thresholds must be in units of the
/// noise of the image in which sources are detected.
std::string false_discovery_problem(const Settings& config);
std::string correlated_pixels_use(const DetectionConfig& config);

/// Check the keys of the matched filter. The filter needs a kernel, a sky level and thresholds in units of the noise,
/// and treats pixels beyond the edges as missing.
std::string filter_use(const ConvolveConfig& config);
std::string filter_problem(const Settings& config);

/// Checks that input.padding is `auto`, `keep` or a number.
std::string padding_problem(const InputConfig& config);

/// Checks that measurement.saturation_keyword or gain_keyword is a valid FITS keyword, or `none`.
std::string keyword_problem(const std::string& keyword);

/// Checks that output.header_keywords are valid FITS keywords that may be copied into a catalogue.
std::string keywords_problem(const OutputConfig& config);

std::string apertures_problem(const MeasurementConfig& config);
/// Check the two numbers of the ellipse of FLUX_AUTO or FLUX_PETRO, factor and minimum radius, and the flux fractions
/// of FLUX_RADIUS. A message shows `example` as a valid value.
std::string ellipse_problem(const std::vector<double>& factor_and_least, const std::string& example);
std::string fractions_problem(const MeasurementConfig& config);
std::string annulus_problem(const MeasurementConfig& config);
std::string least_apertures_problem(const MeasurementConfig& config);

/// Tells users which words output.columns may contain.
std::string allowed_columns();
/// Checks that output.columns names only columns that exist, each once, and that the settings that columns need are
/// given.
std::string columns_problem(const Settings& config);
/// Names the columns that PSFEx would miss in a catalogue with VIGNET in the format ldac; empty if none. PSFEx crashes
/// without FLAGS or ELONGATION, and reads no star without the other columns.
std::string psfex_problem(const Settings& config);
/// Check that there is an output to compress if compression is set.
std::string check_compression_use(const OutputConfig& config);
std::string parquet_compression_use(const OutputConfig& config);
/// Check that output.report_copies comes with a report, and with a search for sources brighter than the sky.
std::string report_copies_use(const OutputConfig& config);
std::string report_copies_problem(const Settings& config);

/// Checks that output.one_catalogue, which joins the FITS catalogues of several HDUs, comes with the format fits.
std::string one_catalogue_problem(const OutputConfig& config);

std::string high_problem(const QuicklookConfig& config);

}  // namespace srcextract::config
