#pragma once

#include <map>
#include <set>
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

  /// Returns how an error about `key` begins: with the place where the key was set, or with the key's name.
  std::string place_of(const std::string& key) const {
    const auto found = set_at.find(key);
    return found == set_at.end() ? key : found->second;
  }
};

/// Reads YAML strictly. An unknown key, a wrong type, a value out of range or a key without use throws Error{config}.
/// The message begins with `name:line:column:` and names the nearest valid key for a misspelt one. An empty text means
/// all defaults. `overrides` are `dotted.key=value` settings (--set on the command line), which are applied last and
/// checked in the same way; their errors begin with `--set dotted.key=value:`.
Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides = {});

/// Settings of a command line option: `dotted.key=value`.
struct Overrides {
  std::string
      option;  ///< prefix of error messages and of Config::set_at: `--set`; a blank follows unless it ends in ':'
  std::vector<std::string> settings = {};
};

/// Overrides of `--set`.
Overrides set_overrides(const std::vector<std::string>& settings);

/// For each key that was set without effect, by its path: the error message.
using UnusedKeys = std::map<std::string, std::string>;

/// A configuration from a file, changed by options. A key that other keys leave without use gets its default. That is
/// no error if the file by itself uses the key and only an option makes it useless. Otherwise it is an error, unless
/// the configuration of another image uses the key: require_use decides.
struct GivenConfig {
  GivenConfig() = default;
  GivenConfig(const Config& all) : written(all), config(all) {}

  Config written;                           ///< every key as set
  Config config;                            ///< the same with the default of each key without use
  UnusedKeys unused = {};                   ///< errors, unless another configuration uses the key
  std::set<std::string> used_in_file = {};  ///< keys that have a use in the file by itself, whatever options change;
                                            ///< these are no errors
};

/// Whether `path` names a configuration that is built into the program (`radio` or `crowd`), not a file.
bool is_own_configuration(const std::string& path);

/// Reads a configuration as parse_config does, but only notes keys without use instead of throwing. An empty path means
/// config/default.yaml, which is part of the program, as are `radio` and `crowd`.
GivenConfig parse_given(const std::string& yaml, const std::string& name, const Overrides& overrides);
GivenConfig load_given(const std::string& path, const Overrides& overrides = {});

/// Changes a configuration by settings for some images alone. Throws Error{config} if such a setting has no use. Other
/// errors that the settings cause are reported for `name`.
GivenConfig override_given(const GivenConfig& given, const std::string& name, const Overrides& overrides);

/// Throws Error{config} for a key that has no use in any configuration of the run; `of_all` has the unused keys of
/// each.
void require_use(const std::vector<UnusedKeys>& of_all);

/// Paths of the files that keys name: the result depends on these files, and no output may replace them. A kernel's
/// file is listed until its values have been read.
std::vector<std::string> named_files(const Config& config);

/// The resolved configuration as YAML, with every key, in the order of Settings. parse_config reads it back to the same
/// Config, whose dump is the same text.
std::string dump_config(const Config& config);

}  // namespace srcextract
