#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/core/catalog_format.hpp"

namespace srcextract {

/// Which pixels of the file are used.
struct InputConfig {
  /// `auto` (the first HDU that holds an image), a number (0 is the primary HDU), an EXTNAME, or `all`.
  std::string hdu = "auto";
  /// Plane of a cube, 1-based, counting through all axes above the second.
  std::int64_t plane = 1;
};

/// The kappa-sigma clip that estimates sky level and noise.
struct BackgroundConfig {
  /// Pixels at or beyond median +- kappa sigma are clipped. Lower than 2 biases sigma low and adds false sources;
  /// higher than 5 lets the wings of bright sources raise it.
  double kappa = 3.0;
  /// Rounds of clipping; 0 = until nothing is clipped any more.
  std::int64_t max_iterations = 0;

  bool operator==(const BackgroundConfig&) const = default;
};

enum class ThresholdUnit { sigma, absolute };
enum class Reference { background, zero };

/// Which pixels belong to sources, and which pixels belong together.
struct DetectionConfig {
  /// In units of sigma above the reference, or the pixel value itself. Lower finds fainter sources and more noise:
  /// at 5 sigma about one pixel in 3.5 million of pure noise exceeds it.
  double threshold = 5.0;
  ThresholdUnit threshold_unit = ThresholdUnit::sigma;
  /// What `threshold` sigma are counted from: the clipped median, or zero (an image already sky-subtracted).
  Reference reference = Reference::background;
  /// 4 = pixels sharing a side, 8 = also a corner (SExtractor's).
  std::int64_t connectivity = 8;
  /// Sources of fewer pixels are dropped. 1 keeps cosmic rays and hot pixels.
  std::int64_t min_area = 5;

  bool operator==(const DetectionConfig&) const = default;
};

/// What is summed over the pixels of a source.
struct MeasurementConfig {
  /// The level subtracted from every pixel before it is measured: the clipped median, or zero (raw pixels).
  Reference reference = Reference::background;
  /// Detector gain in e-/count for the Poisson term of FLUXERR_ISO; 0 = no such term (infinite gain, as SExtractor).
  double gain = 0.0;

  bool operator==(const MeasurementConfig&) const = default;
};

/// What is written.
struct OutputConfig {
  std::vector<CatalogFormat> formats = {CatalogFormat::fits};
  /// Also write the label map {stem}.seg.fits (pixel = NUMBER, 0 = no source).
  bool segmentation = false;
};

/// Everything that the catalogue depends on besides the pixels. How it is computed (back end, threads) is not here.
struct Config {
  InputConfig input;
  BackgroundConfig background;
  DetectionConfig detection;
  MeasurementConfig measurement;
  OutputConfig output;
};

/// Reads a YAML file strictly: an unknown key, a wrong type or a value out of range throws Error{config} whose message
/// begins `path:line:column:` and, for a misspelt key, names the nearest valid one. An empty file is all defaults.
/// `overrides` are `dotted.key=value` settings (the command line's --set), applied after the file and checked the
/// same way; their errors begin `--set dotted.key=value:`.
Config load_config(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same from text; `name` stands for the path in messages.
Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides = {});

/// A configuration with such settings applied, and checked the same way; what they make wrong of the rest of it is said
/// to be in `name`.
Config override_config(const Config& config, const std::string& name, const std::vector<std::string>& overrides);

/// The resolved configuration as YAML, every key present, in the order above; parse_config reads it back to the same
/// Config and the same text.
std::string dump_config(const Config& config);

}  // namespace srcextract
