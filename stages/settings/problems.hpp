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

/// The mesh and check images: a mesh excludes a reference of zero and needs enough pixels, and its filters need a
/// centre. A check image must show something that exists.
std::string method_problem(const Settings& config);
std::string mesh_size_use(const BackgroundConfig& config);
std::string mesh_beams_problem(const BackgroundConfig& config);
std::string filter_size_problem(const BackgroundConfig& config);
std::string filter_height_problem(const BackgroundConfig& config);
std::string mesh_height_problem(const BackgroundConfig& config);
std::string check_images_problem(const Settings& config);

/// A given sky: its level excludes a reference of zero, `level_hdu` needs a map, and the noise must be a number.
std::string level_problem(const Settings& config);
std::string level_hdu_problem(const GivenSkyConfig& config);
std::string level_hdu_use(const GivenSkyConfig& config);
std::string rms_problem(const GivenSkyConfig& config);

/// The beam: a given one has widths.
inline constexpr const char* beam_users = "fit.model gaussians or background.mesh_beams";
std::string beam_width_problem(const BeamConfig& config);

/// Gaussians are fitted only to islands found in the image itself, brighter than its sky, with thresholds in units of
/// the noise.
std::string fit_problem(const Settings& config);

/// A crowd needs a PSF, and excludes all settings that detect, divide or measure sources in another way.
std::string crowd_problem(const Settings& config);

/// A list of several HDUs must name each of them.
std::string names_problem(const HduNames& hdus);

/// Lists of combined images: at most one of planes, hdus and files may be given, and none without a method.
std::string combined_use(const CombineConfig& config, bool given);
std::string planes_problem(const CombineConfig& config);
std::string hdus_problem(const CombineConfig& config, const InputConfig& input);
std::string files_problem(const CombineConfig& config, const InputConfig& input);
std::string weights_problem(const CombineConfig& config);

/// The kernel: each shape needs its own lengths, and excludes the others.
std::string shape_problem(const ConvolveConfig& config);
std::string fwhm_problem(const ConvolveConfig& config);
std::string sigma_problem(const ConvolveConfig& config);
std::string radius_problem(const ConvolveConfig& config);
std::string size_problem(const ConvolveConfig& config);
std::string values_problem(const ConvolveConfig& config);

/// Complains if the width of the stars is given for only one of both frames. `own` and `other` are the two widths.
std::string width_problem(double own, double other);

/// The weight map: a type that needs a map must have one, and the keys of the map are given only with one.
std::string type_problem(const WeightsConfig& config);
std::string map_use(const WeightsConfig& config, bool given);
std::string beyond_use(const WeightsConfig& config);
std::string hdu_problem(const WeightsConfig& config);
/// The longest gaps that are interpolated. `pixels` is the value of one of both keys.
std::string interpolated_use(const WeightsConfig& config, std::int64_t pixels);

/// The mask: some HDU must be left to be extracted, and bits need a map.
std::string hdu_problem(const MaskConfig& config);
std::string bits_use(const MaskConfig& config);

/// A flag map: as for the mask. Further maps need a first one, and each of them must name a map.
std::string hdu_problem(const FlagMapConfig& config);
std::string type_use(const FlagMapConfig& config);
std::string bits_use(const FlagMapConfig& config);
std::string further_use(const FlagsConfig& config);
std::string further_problem(const FlagsConfig& config);
std::string further_map_problem(const FlagMapConfig& config);

/// The threshold: a surface brightness needs a zero point, sources fainter than the sky need a sky level, and a seed
/// must be above the threshold.
std::string threshold_unit_problem(const Settings& config);
std::string sign_problem(const Settings& config);
std::string seed_problem(const DetectionConfig& config);

/// deblend.method needs a threshold above the sky.
std::string deblend_method_problem(const Settings& config);

/// deblend.clean needs a threshold above the sky.
std::string deblend_clean_problem(const Settings& config);

/// The false discovery rate assumes normal noise, so thresholds must be in units of the noise of the image in which
/// sources are found.
std::string false_discovery_problem(const Settings& config);
std::string correlated_pixels_use(const DetectionConfig& config);

/// The matched filter needs a kernel, excludes values for pixels beyond the edges, and needs thresholds in units of
/// noise.
std::string filter_use(const ConvolveConfig& config);
std::string filter_problem(const Settings& config);

/// The keyword of a level or of the gain must be a valid FITS keyword.
std::string keyword_problem(const std::string& keyword);

/// Keywords to be copied must be valid FITS keywords that do not describe the structure of a file.
std::string keywords_problem(const OutputConfig& config);

/// Apertures are valid diameters.
std::string apertures_problem(const MeasurementConfig& config);
/// The two numbers of an ellipse, factor and least radius, as in `example`; and the fractions of the flux.
std::string ellipse_problem(const std::vector<double>& factor_and_least, const std::string& example);
std::string fractions_problem(const MeasurementConfig& config);
/// The radii of the annulus.
std::string annulus_problem(const MeasurementConfig& config);

/// All columns must exist, and the settings that they need must be given.
std::string columns_problem(const Settings& config);
/// What PSFEx would miss in a catalogue with VIGNET in the format ldac; empty if nothing. PSFEx crashes without FLAGS
/// or ELONGATION, and reads no star without the other columns.
std::string psfex_problem(const Settings& config);
/// Compression needs outputs to compress.
std::string check_compression_use(const OutputConfig& config);
std::string parquet_compression_use(const OutputConfig& config);
/// Copies of stars need a report, and sources brighter than the sky.
std::string report_copies_use(const OutputConfig& config);
std::string report_copies_problem(const Settings& config);

/// The common catalogue of several HDUs needs their catalogues in FITS.
std::string one_catalogue_problem(const OutputConfig& config);

/// The values drawn black and white.
std::string high_problem(const QuicklookConfig& config);

}  // namespace srcextract::config
