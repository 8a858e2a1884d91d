#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "stages/settings/settings.hpp"

namespace srcextract::config {

// Functions that check the value of a key against other values. Each returns a problem to follow the key in a message,
// such as "needs weights"; empty if there is none.

// Functions whose names end in `use` return Field::unused: they complain about a value other than the default that has
// no effect.

/// A message that names the `needed` setting if `value` differs from `usual` but the key is not `used`; else empty.
template <class T>
std::string use_problem(bool used, const T& value, const std::type_identity_t<T>& usual, const std::string& needed) {
  return used || value == usual ? "" : "has no use but with " + needed;
}

/// The first of two problems, or the other one if the first is empty.
inline std::string first_of(const std::string& one, const std::string& other) {
  return one.empty() ? other : one;
}

/// Check keys of the mesh and of check images. A mesh excludes a reference of zero and needs enough pixels, and its
/// filters need a centre. A check image must show something that exists.
std::string method_problem(const Settings& config);
std::string mesh_size_use(const BackgroundConfig& config);
std::string mesh_beams_problem(const BackgroundConfig& config);
std::string filter_size_problem(const BackgroundConfig& config);
std::string filter_height_problem(const BackgroundConfig& config);
std::string mesh_height_problem(const BackgroundConfig& config);
std::string check_images_problem(const Settings& config);

/// Check the keys of a given sky. Its level excludes a reference of zero, `level_hdu` needs a map, and the noise must
/// be a number.
std::string level_problem(const Settings& config);
std::string level_hdu_problem(const GivenSkyConfig& config);
std::string level_hdu_use(const GivenSkyConfig& config);
std::string rms_problem(const GivenSkyConfig& config);

/// Settings that need a beam, for messages.
inline constexpr const char* beam_users = "fit.model gaussians or background.mesh_beams";
/// Checks that a given beam has two widths above 0, the larger first.
std::string beam_width_problem(const BeamConfig& config);

/// Checks fit.model: Gaussians are fitted only to islands found in the image itself, brighter than its sky, with
/// thresholds in units of the noise.
std::string fit_problem(const Settings& config);

/// Checks that crowd.method comes without any setting that detects, divides or measures sources in another way, or
/// needs pixels of sources.
std::string crowd_problem(const Settings& config);

/// Checks that a list of several HDUs names each of them, rather than `all` or `auto`.
std::string names_problem(const HduNames& hdus);
/// Checks that the HDUs of a map leave an image to extract. The map is in `file` or, if that is empty, in the image's
/// file.
std::string map_hdu_problem(const HduNames& hdus, const std::string& file);

/// Check the lists of combined images: at most one of planes, hdus and files may be given, and none without a method.
std::string combined_use(const CombineConfig& config, bool given);
std::string planes_problem(const CombineConfig& config);
std::string hdus_problem(const CombineConfig& config, const InputConfig& input);
std::string files_problem(const CombineConfig& config, const InputConfig& input);
std::string weights_problem(const CombineConfig& config);

/// Check the keys of the kernel. Each shape needs its own lengths, and excludes those of other shapes.
std::string shape_problem(const ConvolveConfig& config);
std::string fwhm_problem(const ConvolveConfig& config);
std::string sigma_problem(const ConvolveConfig& config);
std::string radius_problem(const ConvolveConfig& config);
std::string size_problem(const ConvolveConfig& config);
std::string values_problem(const ConvolveConfig& config);

/// Complains if the width of the stars is given for only one of both frames. `own` and `other` are the two widths.
std::string width_problem(double own, double other);

/// Check the keys of the weight map. If weights.type needs a map, a file or an HDU must name it. The other keys are
/// given only with such a type, weights.beyond only with weights.threshold. weights.hdu must leave an image to extract.
std::string type_problem(const WeightsConfig& config);
std::string map_use(const WeightsConfig& config, bool given);
std::string beyond_use(const WeightsConfig& config);
std::string hdu_problem(const WeightsConfig& config);
/// Complains if a longest gap to be interpolated, `pixels`, is set but nothing is interpolated.
std::string interpolated_use(const WeightsConfig& config, std::int64_t pixels);

/// Check keys of the mask: its HDU must leave one to be extracted, and mask.bits needs a map.
std::string hdu_problem(const MaskConfig& config);
std::string bits_use(const MaskConfig& config);

/// Check the keys of a flag map, as those of the mask. Further maps need a first one, and each of them must name a map.
std::string hdu_problem(const FlagMapConfig& config);
std::string type_use(const FlagMapConfig& config);
std::string bits_use(const FlagMapConfig& config);
std::string further_use(const FlagsConfig& config);
std::string further_problem(const FlagsConfig& config);
std::string further_map_problem(const FlagMapConfig& config);

/// Check the keys of the threshold. A surface brightness needs a zero point, sources fainter than the sky need a sky
/// level, and a seed must be above the threshold.
std::string threshold_unit_problem(const Settings& config);
std::string sign_problem(const Settings& config);
std::string seed_problem(const DetectionConfig& config);

/// Complains if detection.min_area is above detection.max_area, so that no source is kept.
std::string max_area_problem(const DetectionConfig& config);

/// deblend.method needs a threshold above the sky.
std::string deblend_method_problem(const Settings& config);

/// deblend.clean needs a threshold above the sky.
std::string deblend_clean_problem(const Settings& config);

/// The false discovery rate assumes normal noise, so thresholds must be in units of the noise of the image in which
/// sources are found.
std::string false_discovery_problem(const Settings& config);
std::string correlated_pixels_use(const DetectionConfig& config);

/// Check the settings of the matched filter. It needs a kernel, excludes values for pixels beyond the edges, and needs
/// thresholds in units of noise.
std::string filter_use(const ConvolveConfig& config);
std::string filter_problem(const Settings& config);

/// Checks that the keyword of the saturation or of the gain is a valid FITS keyword, or `none`.
std::string keyword_problem(const std::string& keyword);

/// Checks that keywords to be copied are valid FITS keywords, and do not describe the structure of a file.
std::string keywords_problem(const OutputConfig& config);

/// Checks that apertures are valid diameters.
std::string apertures_problem(const MeasurementConfig& config);
/// Check the two numbers of an ellipse, factor and least radius, as in `example`, and the fractions of the flux.
std::string ellipse_problem(const std::vector<double>& factor_and_least, const std::string& example);
std::string fractions_problem(const MeasurementConfig& config);
/// Check the radii of the annulus, and the diameters of the least apertures.
std::string annulus_problem(const MeasurementConfig& config);
std::string least_apertures_problem(const MeasurementConfig& config);

/// Checks that all columns exist, and that the settings that they need are given.
std::string columns_problem(const Settings& config);
/// Tells which columns PSFEx would miss in a catalogue with VIGNET in the format ldac; empty if none. PSFEx crashes
/// without FLAGS or ELONGATION, and reads no star without the other columns.
std::string psfex_problem(const Settings& config);
/// Compression needs outputs to compress.
std::string check_compression_use(const OutputConfig& config);
std::string parquet_compression_use(const OutputConfig& config);
/// Check that copies of stars come with a report, and sources brighter than the sky.
std::string report_copies_use(const OutputConfig& config);
std::string report_copies_problem(const Settings& config);

/// Checks that the common catalogue of several HDUs comes with their catalogues in FITS.
std::string one_catalogue_problem(const OutputConfig& config);

/// Checks that the value drawn white is above the value drawn black.
std::string high_problem(const QuicklookConfig& config);

}  // namespace srcextract::config
