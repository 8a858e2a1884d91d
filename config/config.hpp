#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/settings/background.hpp"
#include "config/settings/clean.hpp"
#include "config/settings/combine.hpp"
#include "config/settings/convolve.hpp"
#include "config/settings/deblend.hpp"
#include "config/settings/detection.hpp"
#include "config/settings/difference.hpp"
#include "config/settings/flags.hpp"
#include "config/settings/input.hpp"
#include "config/settings/mask.hpp"
#include "config/settings/measurement.hpp"
#include "config/settings/output.hpp"
#include "config/settings/quicklook.hpp"
#include "config/settings/weights.hpp"

namespace srcextract {

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

  /// What no key says: what stays with the result beside what the outputs ask for, and whose program is replaced.
  struct Kept {
    bool segmentation = false, sky = false;
    /// Whether check images and columns on the sky are as SExtractor has them. These columns are equatorial for a
    /// galactic image too, by whichever name, and without a WCS a pixel is one unit of its axes wide, a degree.
    bool as_sextractor = false;
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

/// The resolved configuration as YAML, every key present, in the order of Settings; parse_config reads it back to the
/// same Config and the same text.
std::string dump_config(const Config& config);

}  // namespace srcextract
