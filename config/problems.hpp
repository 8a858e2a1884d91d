#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "config/config.hpp"

namespace srcextract::config {

// What is wrong with values in the light of others, to be said after the key: "needs weights"; empty if nothing is.

// Those whose names end in `use` are Field::unused: of keys whose values, if they are not the defaults, nothing uses.

/// Of a key that has its usual value unless it is used, as it is with what is `needed`.
template <class T>
std::string use_problem(bool used, const T& value, const std::type_identity_t<T>& usual, const std::string& needed) {
  return used || value == usual ? "" : "has no use but with " + needed;
}

/// The first problem of two.
inline std::string first_of(const std::string& one, const std::string& other) {
  return one.empty() ? other : one;
}

/// Of the mesh: what counts from zero needs the sky, and a filter has a centre.
std::string method_problem(const Config& config);
std::string filter_size_problem(const BackgroundConfig& config);
std::string filter_height_problem(const BackgroundConfig& config);
std::string mesh_height_problem(const BackgroundConfig& config);
std::string check_images_problem(const Config& config);

/// Of a sky that is given: one level, of one HDU, that nothing else counts from zero; one number of noise.
std::string level_problem(const Config& config);
std::string level_hdu_problem(const GivenSkyConfig& config);
std::string level_hdu_use(const GivenSkyConfig& config);
std::string rms_problem(const GivenSkyConfig& config);

/// Of HDUs: those that are listed are named one by one.
std::string names_problem(const HduNames& hdus);

/// Of combine's lists of what is combined: at most one of them is given, and none without a method.
std::string combined_use(const CombineConfig& config, bool given);
std::string planes_problem(const CombineConfig& config);
std::string hdus_problem(const CombineConfig& config, const InputConfig& input);
std::string files_problem(const CombineConfig& config, const InputConfig& input);
std::string weights_problem(const CombineConfig& config);

/// Of the kernel: a shape has the lengths that it needs, and no others.
std::string shape_problem(const ConvolveConfig& config);
std::string fwhm_problem(const ConvolveConfig& config);
std::string sigma_problem(const ConvolveConfig& config);
std::string radius_problem(const ConvolveConfig& config);
std::string size_problem(const ConvolveConfig& config);
std::string values_problem(const ConvolveConfig& config);

/// Of the widths of both frames: both are given, or neither.
std::string fwhm_problem(const DifferenceConfig& config);

/// Of the map of weights: it is somewhere, and its keys are given only where there is one.
std::string type_problem(const WeightsConfig& config);
std::string map_use(const WeightsConfig& config, bool given);
std::string beyond_use(const WeightsConfig& config);
std::string hdu_problem(const WeightsConfig& config);
/// Of the lengths of gaps, one of which is `pixels`.
std::string interpolated_use(const WeightsConfig& config, std::int64_t pixels);

/// Of the mask: HDUs beside the image, and bits that an integer can have.
std::string hdu_problem(const MaskConfig& config);
std::string bits_use(const MaskConfig& config);

/// The same of a map of flags; there is a first one where there are further ones, which all are somewhere.
std::string hdu_problem(const FlagMapConfig& config);
std::string type_use(const FlagMapConfig& config);
std::string bits_use(const FlagMapConfig& config);
std::string further_use(const FlagsConfig& config);
std::string further_problem(const FlagsConfig& config);
std::string further_map_problem(const FlagMapConfig& config);

/// Of the threshold: a surface brightness needs a zero point, what is fainter than the sky a sky to be counted from,
/// and a seed is brighter than what it reaches down to.
std::string threshold_unit_problem(const Config& config);
std::string sign_problem(const Config& config);
std::string seed_problem(const DetectionConfig& config);

/// Of deblend.method.
std::string deblend_method_problem(const Config& config);

/// Of deblend.clean.
std::string deblend_clean_problem(const Config& config);

/// Of the rate of false discoveries: p-values are those of a normal noise, so thresholds are counted in
/// that of the image in which sources are found.
std::string false_discovery_problem(const Config& config);
std::string correlated_pixels_use(const DetectionConfig& config);

/// Of the matched filter: there is a kernel, beyond the edges there is nothing, and its result is in units of noise.
std::string filter_use(const ConvolveConfig& config);
std::string filter_problem(const Config& config);

/// Of a keyword that holds a level or the gain: it is one of FITS.
std::string keyword_problem(const std::string& keyword);

/// Of the keywords that are copied: they are keywords of FITS, and none that says how a file is built.
std::string keywords_problem(const OutputConfig& config);

/// Of apertures: numbers that a radius can have.
std::string apertures_problem(const MeasurementConfig& config);
/// Of an ellipse's factor and least radius, as in `example`; and of parts of the light.
std::string ellipse_problem(const std::vector<double>& factor_and_least, const std::string& example);
std::string fractions_problem(const MeasurementConfig& config);
/// Of the radii of an annulus.
std::string annulus_problem(const MeasurementConfig& config);

/// Of the columns: there are such, and what they are made of.
std::string columns_problem(const Config& config);
/// Of the compression of check images: there are some.
std::string check_compression_use(const OutputConfig& config);
std::string parquet_compression_use(const OutputConfig& config);

/// Of the catalogue of several HDUs: it is made of theirs in FITS.
std::string one_catalogue_problem(const OutputConfig& config);

/// Of the values that are drawn black and white.
std::string high_problem(const QuicklookConfig& config);

}  // namespace srcextract::config
