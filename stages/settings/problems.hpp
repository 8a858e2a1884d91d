#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "stages/settings/settings.hpp"

namespace srcextract::config {

// Conflicts of a key's value with other values, to follow the key in a message: "needs weights"; empty if there are
// none.

// Functions whose names end in `use` return Field::unused: values other than the default that have no effect.

/// A key may only differ from `usual` if it is `used`; otherwise the message names the `needed` setting.
template <class T>
std::string use_problem(bool used, const T& value, const std::type_identity_t<T>& usual, const std::string& needed) {
  return used || value == usual ? "" : "has no use but with " + needed;
}

/// The first of two problems that is not empty.
inline std::string first_of(const std::string& one, const std::string& other) {
  return one.empty() ? other : one;
}

/// The mesh and check images: a reference of zero excludes the mesh, filters need a centre, and a mesh needs enough
/// pixels. Check images show what there is.
std::string method_problem(const Settings& config);
std::string mesh_size_use(const BackgroundConfig& config);
std::string mesh_beams_problem(const BackgroundConfig& config);
std::string filter_size_problem(const BackgroundConfig& config);
std::string filter_height_problem(const BackgroundConfig& config);
std::string mesh_height_problem(const BackgroundConfig& config);
std::string check_images_problem(const Settings& config);

/// A given sky: its level excludes a reference of zero, `level_hdu` needs a map, and the noise is a number.
std::string level_problem(const Settings& config);
std::string level_hdu_problem(const GivenSkyConfig& config);
std::string level_hdu_use(const GivenSkyConfig& config);
std::string rms_problem(const GivenSkyConfig& config);

/// The beam: a given one has widths.
inline constexpr const char* beam_users = "fit.model gaussians or background.mesh_beams";
std::string beam_width_problem(const BeamConfig& config);

/// Gaussians are fitted to the islands of the image itself, brighter than its sky, in units of the noise.
std::string fit_problem(const Settings& config);

/// A crowd is fitted by a PSF, and nothing detects, divides or measures sources beside it.
std::string crowd_problem(const Settings& config);

/// A list of HDUs names them one by one.
std::string names_problem(const HduNames& hdus);

/// Lists of combined images: at most one of the lists is given, and none without a method.
std::string combined_use(const CombineConfig& config, bool given);
std::string planes_problem(const CombineConfig& config);
std::string hdus_problem(const CombineConfig& config, const InputConfig& input);
std::string files_problem(const CombineConfig& config, const InputConfig& input);
std::string weights_problem(const CombineConfig& config);

/// The kernel: each shape has the lengths that it needs, and no others.
std::string shape_problem(const ConvolveConfig& config);
std::string fwhm_problem(const ConvolveConfig& config);
std::string sigma_problem(const ConvolveConfig& config);
std::string radius_problem(const ConvolveConfig& config);
std::string size_problem(const ConvolveConfig& config);
std::string values_problem(const ConvolveConfig& config);

/// The widths of the stars in both frames: both are given, or neither.
/// One of two widths without the other.
std::string width_problem(double own, double other);

/// The weight map: it exists, and its keys are given only with it.
std::string type_problem(const WeightsConfig& config);
std::string map_use(const WeightsConfig& config, bool given);
std::string beyond_use(const WeightsConfig& config);
std::string hdu_problem(const WeightsConfig& config);
/// The lengths of gaps; `pixels` is one of them.
std::string interpolated_use(const WeightsConfig& config, std::int64_t pixels);

/// The mask: its HDUs leave an image to extract, and bits need a map.
std::string hdu_problem(const MaskConfig& config);
std::string bits_use(const MaskConfig& config);

/// A flag map: as the mask. Further maps need a first one, and each names a map.
std::string hdu_problem(const FlagMapConfig& config);
std::string type_use(const FlagMapConfig& config);
std::string bits_use(const FlagMapConfig& config);
std::string further_use(const FlagsConfig& config);
std::string further_problem(const FlagsConfig& config);
std::string further_map_problem(const FlagMapConfig& config);

/// The threshold: a surface brightness needs a zero point, sources fainter than the sky need a sky level, and a seed is
/// brighter than the threshold.
std::string threshold_unit_problem(const Settings& config);
std::string sign_problem(const Settings& config);
std::string seed_problem(const DetectionConfig& config);

/// deblend.method needs a threshold above the sky.
std::string deblend_method_problem(const Settings& config);

/// deblend.clean needs a threshold above the sky.
std::string deblend_clean_problem(const Settings& config);

/// The false discovery rate: p-values assume normal noise, so thresholds must be in units of the noise of the detection
/// image.
std::string false_discovery_problem(const Settings& config);
std::string correlated_pixels_use(const DetectionConfig& config);

/// The matched filter: it needs a kernel, has no pixels beyond the edges, and its result is in units of noise.
std::string filter_use(const ConvolveConfig& config);
std::string filter_problem(const Settings& config);

/// A keyword of a level or the gain is a valid FITS keyword.
std::string keyword_problem(const std::string& keyword);

/// Copied keywords are valid FITS keywords, and do not describe the structure of a file.
std::string keywords_problem(const OutputConfig& config);

/// Apertures are valid diameters.
std::string apertures_problem(const MeasurementConfig& config);
/// Factor and least radius of an ellipse, as in `example`; and fractions of the flux.
std::string ellipse_problem(const std::vector<double>& factor_and_least, const std::string& example);
std::string fractions_problem(const MeasurementConfig& config);
/// The radii of the annulus.
std::string annulus_problem(const MeasurementConfig& config);
std::string least_apertures_problem(const MeasurementConfig& config);

/// The columns exist, and their required settings are given.
std::string columns_problem(const Settings& config);
/// What PSFEx would miss in a catalogue with VIGNET in the format ldac; empty if nothing. Without FLAGS or ELONGATION
/// it crashes, and without the others it reads no star.
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
