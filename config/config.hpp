#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "stages/catalogue/catalog_format.hpp"
#include "stages/catalogue/image_compression.hpp"
#include "stages/catalogue/parquet_compression.hpp"
#include "stages/core/hdu_names.hpp"
#include "stages/core/host_device.hpp"

namespace srcextract {

/// Which pixels of the file are used.
struct InputConfig {
  HduNames hdu;
  /// Plane of a cube, 1-based, counting through all axes above the second.
  std::int64_t plane = 1;

  bool operator==(const InputConfig&) const = default;
};

enum class CombineMethod { none, weighted, luminosity, mean, inverse_variance, chi_square, median };

/// Several planes, or several images of one shape, into the one that sources are found in and measured on. Where none
/// of `planes`, `hdus` and `files` is given it is all planes of the cube.
struct CombineConfig {
  CombineMethod method = CombineMethod::none;
  std::vector<std::int64_t> planes;  ///< of the cube, 1-based
  std::vector<std::string> hdus;     ///< of the file: numbers from 0, or names
  std::vector<std::string> files;    ///< images that follow the one that is extracted
  std::vector<double> weights;       ///< of `weighted`, one for each

  bool operator==(const CombineConfig&) const = default;
};

enum class KernelShape { none, gaussian, tophat, mexican_hat, values, file };
enum class Edges { zero, nearest, reflect };
enum class Filter { convolution, matched };

/// The convolution before detection. Lengths in pixels; 0 = not given.
struct ConvolveConfig {
  KernelShape kernel = KernelShape::none;
  double fwhm = 0;        ///< of the Gaussian; or sigma
  double sigma = 0;       ///< of the Gaussian and the mexican hat
  double radius = 0;      ///< of the top-hat
  std::int64_t size = 0;  ///< side of the kernel; 0 = as large as its shape asks for
  std::vector<std::vector<double>> values;
  std::string file;  ///< SExtractor's .conv, or a FITS image
  bool normalize = true;
  Edges edges = Edges::zero;
  /// matched: pixels count by their noise, and the threshold is one in units of that of the result.
  Filter filter = Filter::convolution;

  bool operator==(const ConvolveConfig&) const = default;
};

enum class BackgroundMethod { constant, mesh };
enum class BackgroundEstimator { sextractor, median };

/// How sky level and noise are estimated, for the whole image or mesh by mesh.
struct BackgroundConfig {
  BackgroundMethod method = BackgroundMethod::mesh;
  /// Pixels at or beyond median +- kappa sigma are clipped. Lower than 2 biases sigma low and adds false sources;
  /// higher than 5 lets the wings of bright sources raise it.
  double kappa = 3.0;
  /// Rounds of clipping; 0 = until nothing is clipped any more. Of `constant` alone.
  std::int64_t max_iterations = 0;
  /// Side of a mesh in pixels. Smaller follows the sky more closely, and takes large sources for sky.
  std::int64_t mesh_size = 64;
  /// What stands for the sky of a mesh: SExtractor's mode, which is less drawn by sources, or the clipped median.
  BackgroundEstimator estimator = BackgroundEstimator::sextractor;
  /// Meshes along each side of the median filter over them, odd; 1 = none.
  std::int64_t filter_size = 3;
  /// The filter replaces a mesh whose level differs from the median by at least so much, in units of the pixels.
  double filter_threshold = 0;

  bool operator==(const BackgroundConfig&) const = default;
};

/// What is known of the sky, and is not estimated.
struct GivenSkyConfig {
  /// Subtracted from every pixel: a number, or a file that holds a map of the image's shape. Empty: that of the image,
  /// if there is an HDU, or else the level is estimated.
  std::string level;
  HduNames level_hdu;  ///< as those of the weights; of the image's own file `auto` means no map
  std::string rms;     ///< the noise of a pixel, a number; empty: it is estimated

  bool operator==(const GivenSkyConfig&) const = default;
};

/// The number that a text is; nothing if it is none.
std::optional<double> given_number(const std::string& text);

/// Whether a level is given.
inline bool has_level(const GivenSkyConfig& config) {
  return !config.level.empty() || config.level_hdu != "auto";
}

/// Whether it is a map.
inline bool has_level_map(const GivenSkyConfig& config) {
  return has_level(config) && !given_number(config.level);
}

enum class WeightType { none, background, rms, variance, weight };
enum class Interpolate { none, variance, all };

/// How noisy each pixel is.
struct WeightsConfig {
  /// none: as noisy as the image all over; background: as the mesh tells; or as a map tells, which holds the noise, its
  /// square, or what that is inverse to.
  WeightType type = WeightType::background;
  std::string file;      ///< that holds the map; empty: that of the image
  HduNames hdu;          ///< of that file, paired with those of the image where there are several
  double threshold = 0;  ///< pixels are bad that weigh no more, or are as noisy; 0 = none
  bool rescale = true;   ///< a map of variances or weights tells their ratios; the sky's noise tells how large they are
  bool convolve = false;  ///< thresholds of a convolved image are by variances that are convolved with it
  /// What pixels that are bad take over from their neighbours: nothing (they are masked), the variance, or the value
  /// as well. SExtractor's INTERP_TYPE.
  Interpolate interpolate = Interpolate::none;
  std::int64_t interpolate_columns = 16;  ///< most pixels along a row that take over from the good one before them
  std::int64_t interpolate_rows = 16;     ///< the same along a column, where the row does not give any

  bool operator==(const WeightsConfig&) const = default;
};

/// Whether a map tells it.
inline bool has_map(const WeightsConfig& config) {
  return config.type != WeightType::none && config.type != WeightType::background;
}

/// Whether pixels that it calls bad take something over from their neighbours.
inline bool interpolates(const WeightsConfig& config) {
  return has_map(config) && config.interpolate != Interpolate::none;
}

/// Whether that map is scaled to the noise of the sky.
inline bool is_rescaled(const WeightsConfig& config) {
  return config.rescale && (config.type == WeightType::variance || config.type == WeightType::weight);
}

enum class GoodPixels { zero, nonzero };

/// Which pixels are left out, by a map of their quality.
struct MaskConfig {
  std::string file;               ///< that holds the map; empty: that of the image
  HduNames hdu;                   ///< as those of the weights; of the image's own file `auto` means no mask
  std::vector<std::string> bits;  ///< numbers, or names that the map's header gives them; empty: all
  GoodPixels good = GoodPixels::zero;

  bool operator==(const MaskConfig&) const = default;
};

inline bool has_mask(const MaskConfig& config) {
  return !config.file.empty() || config.hdu != "auto";
}

enum class FlagType { bit_or, bit_and, min, max, most };

/// A map of flags, and what it says of the pixels of a source.
struct FlagMapConfig {
  std::string file;                    ///< that holds the map; empty: that of the image
  HduNames hdu;                        ///< as those of the mask
  FlagType type = FlagType::bit_or;    ///< how the flags of its pixels become one
  std::vector<std::string> bits = {};  ///< that count: numbers, or names that the map's header gives them; empty: all

  bool operator==(const FlagMapConfig&) const = default;
};

/// The first map, and those after it.
struct FlagsConfig : FlagMapConfig {
  std::vector<FlagMapConfig> further = {};

  bool operator==(const FlagsConfig&) const = default;
};

inline bool has_flags(const FlagMapConfig& config) {
  return !config.file.empty() || config.hdu != "auto";
}

enum class ThresholdUnit { sigma, absolute, detection_sigma, mag_per_arcsec2 };
enum class Baseline { background, zero };
enum class DetectionSign { positive, negative, both };

/// Which pixels belong to sources, and which pixels belong together.
struct DetectionConfig {
  /// In units of sigma above the reference, or the pixel value itself; in units of detection_sigma it is counted from
  /// the clipped median of the convolved image, whose noise it is, unless from zero. As a surface brightness it is what
  /// a pixel has above the reference, by the zero point and the pixel scale of the measurement. Lower finds fainter
  /// sources and more noise: at 5 sigma about one pixel in 3.5 million of pure noise exceeds it.
  double threshold = 5.0;
  ThresholdUnit threshold_unit = ThresholdUnit::sigma;
  /// What `threshold` sigma are counted from: the clipped median, or zero (an image already sky-subtracted).
  Baseline reference = Baseline::background;
  /// 4 = pixels sharing a side, 8 = also a corner (SExtractor's).
  std::int64_t connectivity = 8;
  /// Sources of fewer pixels are dropped. 1 keeps cosmic rays and hot pixels.
  std::int64_t min_area = 5;
  /// Of `difference` always both: what became brighter and what became fainter.
  DetectionSign sign = DetectionSign::positive;
  /// In the unit of `threshold`: components without a pixel above it are dropped; 0 = none are.
  double seed = 0;
  /// In the unit of `threshold`: ISOAREA_IMAGE counts the pixels of a source that are brighter in the image that is
  /// measured, SExtractor's ANALYSIS_THRESH; 0 = there is no such column.
  double analysis_threshold = 0;
  /// The threshold is such that at most this share of the pixels above it is expected to be noise (Benjamini &
  /// Hochberg 1995), and `threshold` is not looked at; 0 = none.
  double false_discovery_rate = 0;
  /// Pixels that have noise in common, by which that rate is divided as Hopkins et al. (2002) have it; 1 = not at all.
  std::int64_t correlated_pixels = 1;

  bool operator==(const DetectionConfig&) const = default;
};

/// Whether the image tells the threshold.
SRCEXTRACT_HOST_DEVICE inline bool controls_false_discoveries(const DetectionConfig& config) {
  return config.false_discovery_rate != 0;
}

/// Whether thresholds are counted in noise.
SRCEXTRACT_HOST_DEVICE inline bool counts_in_sigmas(const DetectionConfig& config) {
  return config.threshold_unit == ThresholdUnit::sigma || config.threshold_unit == ThresholdUnit::detection_sigma;
}

enum class CleanOperation { none, erosion, opening };
enum class StructuringElement { cross, square };

/// Morphological cleaning of what is above the threshold.
struct CleanConfig {
  CleanOperation operation = CleanOperation::none;
  /// The pixel and those that share a side with it, or also a corner.
  StructuringElement element = StructuringElement::cross;
  std::int64_t iterations = 1;

  bool operator==(const CleanConfig&) const = default;
};

enum class DeblendMethod { none, tree };

/// The division of sources of more than one peak, and what becomes of those in the wings of others.
struct DeblendConfig {
  DeblendMethod method = DeblendMethod::none;
  /// Levels between the threshold and the peak, in equal steps of magnitude (SExtractor's DEBLEND_NTHRESH). Too few
  /// pass over what is between two peaks.
  std::int64_t thresholds = 32;
  /// Of the whole source's flux, that a branch must have above the level at which it joins others (DEBLEND_MINCONT).
  /// Too low divides galaxies at their spiral arms, and noise; too high leaves faint neighbours.
  double contrast = 0.005;
  /// Whether sources that are in the wings of brighter ones, and would not be sources without their light, become parts
  /// of these (CLEAN). With any method.
  bool clean = false;
  /// The exponent of the wings, of a Moffat profile (CLEAN_PARAM). Lower makes them broader, which takes more sources.
  double clean_beta = 1;

  bool operator==(const DeblendConfig&) const = default;
};

enum class MaskNeighbours { correct, blank, none };
enum class NoiseOfSums { pixel, apertures };
enum class Overlap { sub_pixels, exact };

/// Most circles that light is summed in.
inline constexpr int most_apertures = 100;

/// Most parts of the light whose radius is sought.
inline constexpr int most_fractions = 100;

/// What is summed over the pixels of a source.
struct MeasurementConfig {
  /// The level subtracted from every pixel before it is measured: the clipped median, or zero (raw pixels).
  Baseline reference = Baseline::background;
  /// Detector gain in e-/count for the Poisson term of FLUXERR_ISO; 0 = no such term (infinite gain, as SExtractor).
  double gain = 0.0;
  /// Sources with a pixel of at least this value, background not subtracted, are flagged; 0 = none.
  double saturation = 0;
  /// Keyword of the image that holds it instead, or `none`.
  std::string saturation_keyword = "none";
  /// Keyword of the image that holds the gain, or `none`.
  std::string gain_keyword = "none";
  double zero_point = 0;   ///< magnitude of one count, of thresholds and of MAG_*
  double pixel_scale = 0;  ///< side of a pixel in arcseconds; 0 = as the WCS of the image has it
  /// What pixels of other sources, and bad ones, count as in an aperture: the pixel opposite, nothing, or, those of
  /// others, themselves (SExtractor's MASK_TYPE).
  MaskNeighbours mask = MaskNeighbours::correct;
  /// What the noise of the sky in a sum of pixels follows from: that of a pixel, as if pixels were independent, or what
  /// empty apertures of the image tell (stages/measure/aperture_noise.hpp).
  NoiseOfSums noise = NoiseOfSums::pixel;
  /// How much of a pixel at the edge of a circle of FLUX_APER is in it: by 5 x 5 sub-pixels, as SExtractor has it, or
  /// its area.
  Overlap overlap = Overlap::sub_pixels;
  std::vector<double> apertures = {5};         ///< diameters of the circles of FLUX_APER in pixels (PHOT_APERTURES)
  std::vector<double> kron = {2.5, 3.5};       ///< of FLUX_AUTO: factor, and least radius (PHOT_AUTOPARAMS)
  std::vector<double> petrosian = {2.0, 3.5};  ///< of FLUX_PETRO: the same (PHOT_PETROPARAMS)
  std::vector<double> flux_radius = {0.5};     ///< parts of FLUX_AUTO, of FLUX_RADIUS (PHOT_FLUXFRAC)
  std::vector<double> annulus = {10, 20};      ///< inner and outer radius of that of ANNULUS_SKY in pixels
  std::string nnw;                             ///< SExtractor's file of a network that CLASS_STAR is told by
  std::vector<double> network = {};            ///< what that file holds, once it was read: no key of its own
  double seeing_fwhm = 1.2;                    ///< width of stars in arcseconds, for CLASS_STAR (SEEING_FWHM)

  bool operator==(const MeasurementConfig&) const = default;
};

enum class Align { none, wcs };
enum class Interpolation { bilinear, lanczos3 };

/// How a reference frame is made comparable with a new one before it is subtracted.
struct DifferenceConfig {
  Align align = Align::none;
  Interpolation interpolation = Interpolation::lanczos3;
  bool match_flux = true;
  bool match_background = true;
  /// Of the stars, in pixels of the new frame: the sharper frame is convolved to the width of the other. 0 = as they
  /// are.
  double reference_fwhm = 0;
  double new_fwhm = 0;

  bool operator==(const DifferenceConfig&) const = default;
};

enum class Stretch { linear, sqrt, log, asinh, equalize };
enum class Limits { zscale, minmax, values };
enum class Overlay { none, ellipses, pixels };

/// The picture that output.quicklook writes.
struct QuicklookConfig {
  Stretch stretch = Stretch::asinh;
  Limits limits = Limits::zscale;
  double low = 0;   ///< black, where limits is `values`
  double high = 0;  ///< white
  std::int64_t bins = 4096;
  Overlay overlay = Overlay::ellipses;
  std::int64_t size = 1024;  ///< most pixels of its longer side

  bool operator==(const QuicklookConfig&) const = default;
};

/// Images that show what became of the pixels, SExtractor's CHECKIMAGEs.
enum class CheckImage {
  background,
  rms,
  minus_background,
  filtered,
  objects,
  minus_objects,
  snr,
  minibackground,
  miniback_rms
};

/// What is written.
struct OutputConfig {
  std::vector<CatalogFormat> formats = {CatalogFormat::fits};
  ParquetCompression parquet_compression = ParquetCompression::none;
  /// Columns, or groups of them (stages/catalogue/measured_columns.hpp): only what is asked for is measured.
  std::vector<std::string> columns = {"default"};
  /// Also write the label map {stem}.seg.fits (pixel = NUMBER, 0 = no source).
  bool segmentation = false;
  /// Also write the picture {stem}.png.
  bool quicklook = false;
  /// Also write {stem}.{name}.fits for each.
  std::vector<CheckImage> check_images = {};
  ImageCompression check_compression = ImageCompression::none;
  /// Keywords of the image that are copied into the catalogue and run.json besides the usual ones.
  std::vector<std::string> header_keywords = {};
  /// Where several HDUs of a file are extracted, also write {stem}.cat.fits with the sources of all.
  bool one_catalogue = false;

  bool operator==(const OutputConfig&) const = default;
};

/// The values of all keys.
struct Settings {
  InputConfig input;
  CombineConfig combine;
  BackgroundConfig background;
  GivenSkyConfig given_sky;  ///< keys of the section `background`
  WeightsConfig weights;
  MaskConfig mask;
  FlagsConfig flags;
  ConvolveConfig convolve;
  DetectionConfig detection;
  CleanConfig clean;
  DeblendConfig deblend;
  MeasurementConfig measurement;
  DifferenceConfig difference;
  OutputConfig output;
  QuicklookConfig quicklook;

  bool operator==(const Settings&) const = default;
};

/// Everything that the catalogue depends on besides the pixels. How it is computed (back end, threads) is not here.
struct Config : Settings {
  const Settings& settings() const { return *this; }

  /// What is to stay with the result beside what the outputs ask for. No key: nothing that is written hangs on it.
  struct Kept {
    bool segmentation = false, sky = false;
  };
  Kept kept = {};

  /// Where keys were set, `path:line:column` by `section.key`; for messages about what only an image shows to be wrong.
  std::map<std::string, std::string> set_at = {};

  /// How such a message begins: where the key was set, or its name.
  std::string place_of(const std::string& key) const {
    const auto found = set_at.find(key);
    return found == set_at.end() ? key : found->second;
  }
};

/// Reads YAML strictly: an unknown key, a wrong type, a value out of range or a key without use throws Error{config}
/// whose message begins `name:line:column:` and, for a misspelt key, names the nearest valid one. An empty text is all
/// defaults. `overrides` are `dotted.key=value` settings (the command line's --set), applied after it and checked the
/// same way; their errors begin `--set dotted.key=value:`. What a file, options and manifests come to together is the
/// matter of config/overrides.hpp.
Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides = {});

/// The files that keys name: what a result depends on, and no output may replace. A kernel's file is named until its
/// values have been read.
std::vector<std::string> named_files(const Config& config);

/// The resolved configuration as YAML, every key present, in the order above; parse_config reads it back to the same
/// Config and the same text.
std::string dump_config(const Config& config);

}  // namespace srcextract
