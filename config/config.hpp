#pragma once

#include <map>
#include <string>
#include <vector>

#include "stages/settings/settings.hpp"

namespace srcextract {

/// All inputs of a catalogue besides the pixels. Execution options (back end, threads) are not here.
struct Config : Settings {
  const Settings& settings() const { return *this; }

  /// Settings without a key: which further results are kept, and whether SExtractor is imitated.
  struct Kept {
    bool segmentation = false, sky = false;
    /// Whether check images and sky columns are as in SExtractor. Sky columns are then equatorial even for a galactic
    /// image. Without a WCS a pixel is one unit of its axes wide, a degree.
    bool as_sextractor = false;
  };
  Kept kept = {};

  /// Places where keys were set, `path:line:column` by `section.key`; for errors that only show with an image.
  std::map<std::string, std::string> set_at = {};

  /// Beginning of such an error: where the key was set, or its name.
  std::string place_of(const std::string& key) const {
    const auto found = set_at.find(key);
    return found == set_at.end() ? key : found->second;
  }
};

/// Reads YAML strictly. An unknown key, a wrong type, a value out of range or a key without use throws Error{config}.
/// The message begins with `name:line:column:` and names the nearest valid key for a misspelt one. An empty text means
/// all defaults. `overrides` are `dotted.key=value` settings (--set on the command line), applied last and checked in
/// the same way; their errors begin with `--set dotted.key=value:`. Combining a file, options and manifests:
/// config/overrides.hpp.
Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides = {});

/// The files that keys name: the result depends on them, and no output may replace them. A kernel's file is listed
/// until its values have been read.
std::vector<std::string> named_files(const Config& config);

/// The resolved configuration as YAML, with every key, in the order of Settings. parse_config reads it back to the same
/// Config, whose dump is the same text.
std::string dump_config(const Config& config);

}  // namespace srcextract
