#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// All inputs of a catalogue besides the pixels. Execution options (back end, number of threads) are not part of
/// Config.
struct Config : Settings {
  const Settings& settings() const { return *this; }

  /// Settings that no YAML key sets: which further results are kept, and whether output imitates SExtractor.
  struct Kept {
    bool segmentation = false, sky = false;
    /// Whether check images and sky columns are as in SExtractor. Sky columns are then equatorial even if the image's
    /// WCS is galactic. Without a WCS, a pixel counts as one degree wide.
    bool as_sextractor = false;
  };
  Kept kept = {};

  /// The place where each key was set, by `section.key`: `path:line:column`, the option that set the key, or "KEY of
  /// the default configuration". Error messages that arise only when an image is processed name these places.
  std::map<std::string, std::string> set_at = {};

  /// Paths of the files that the configuration extends. No output may replace them.
  std::vector<std::string> extended = {};

  /// Returns the beginning of an error message about `key`: the place where the key was set, or the key's name if it
  /// was not set.
  std::string place_of(const std::string& key) const {
    const auto found = set_at.find(key);
    return found == set_at.end() ? key : found->second;
  }
};

/// Reads YAML strictly. An unknown key, a wrong type, a value out of range or a key without use throws Error{config}.
/// The message begins with `name:line:column:`, or with `name:` if no line is known, and names the nearest valid key
/// for a misspelt key. The key `extends` names the configuration that the text changes: `default`, `radio`, `crowd`,
/// the path of a file, relative to the file `name`, or `none`: keys that the text does not set then have the values of
/// Settings. parse_config() takes a text without `extends` to extend none. `overrides` are settings `dotted.key=value`
/// as after --set on the command line. Overrides replace values of the YAML text and are checked in the same way; their
/// errors begin with
/// `--set dotted.key=value:`.
Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides = {});

/// The settings `dotted.key=value` that one kind of command line option gives.
struct Overrides {
  /// The option, as `--set`. Begins error messages and places in Config::set_at, with a blank after the option unless
  /// the option ends in ':'.
  std::string option;
  std::vector<std::string> settings = {};
};

/// Returns overrides whose option is `--set`.
Overrides set_overrides(const std::vector<std::string>& settings);

/// The error message for each key that was set without effect; the map's keys are paths `section.key`.
using UnusedKeys = std::map<std::string, std::string>;

/// A configuration from a file, changed by options. A key that other settings leave without use gets its default. If
/// the file alone uses the key and only an option makes the key useless, that is no error. Otherwise the key is an
/// error, unless the configuration of another image uses the key: require_use() decides.
struct GivenConfig {
  GivenConfig() = default;
  GivenConfig(const Config& all) : written(all), config(all) {}

  Config written;  ///< every key as set
  Config config;   ///< `written`, with the default of each key that has no use
  /// error messages for keys without use; require_use() throws an error only if no other configuration uses the key
  UnusedKeys unused = {};
  /// Keys set in the file that have a use under the file's other settings, and keys of what it extends; less the keys
  /// that an option sets. Options that make these keys useless cause no error.
  std::set<std::string> used_in_file = {};
  /// A warning for the user: what the default configuration adds to a text without the key `extends`. Empty if nothing.
  std::string note = {};
};

/// Whether `path` names a configuration that is built into the program (`radio` or `crowd`), not a file.
bool is_own_configuration(const std::string& path);

/// As parse_config(), but a text without `extends` extends the default configuration, with a note of what differs, and
/// keys without use are noted in GivenConfig::unused and do not throw. load_given() reads the
/// file at `path`; `radio` and `crowd` name configurations built into the program, and an empty path means the built-in
/// config/default.yaml.
GivenConfig parse_given(const std::string& yaml, const std::string& name, const Overrides& overrides);
GivenConfig load_given(const std::string& path, const Overrides& overrides = {});

/// Returns `given` changed by settings that hold only for some of the images. Throws Error{config} if such a setting
/// has no use. Messages about a key that was not set begin with the place of another key of its section. If no key of
/// the section was set, messages begin with `name`, or "the default configuration" if `name` is empty.
GivenConfig override_given(const GivenConfig& given, const std::string& name, const Overrides& overrides);

/// Throws Error{config} for a key that has no use in any of the configurations; each element of `of_all` lists the
/// unused keys of one configuration.
void require_use(const std::vector<UnusedKeys>& of_all);

/// Returns all keys of a configuration; what depends on other values is as in the default configuration.
const config::Fields& config_keys();

/// Throws Error{config}, with `place` in the message, if `section` or its `key` is unknown. The message offers the
/// nearest known name, the section that has the key, or all known names.
void require_key(const std::string& section, const std::string& key, const std::string& place);

/// Returns all files that keys name. The catalogue depends on these files, and no output may replace them.
/// A key that holds a number in place of a path is left out. So is the file of a convolution kernel once its values
/// have been read, since reading clears the key.
std::vector<config::NamedFile> named_files(const Config& config);

/// Returns the value of each key as in dump_config(), by the key's path `section.key`.
std::map<std::string, std::string> texts_of(const Config& config);

/// Returns the configuration as YAML, with every key and the comments of config/default.yaml; it extends none.
std::string commented_config(const Config& config);

/// Returns the configuration as YAML, with every key, in the order of Settings. parse_config() reads the same value
/// of every key from the text, and dump_config() writes the same text for that Config. Config::kept, Config::set_at and
/// Settings::resources are not in the text.
std::string dump_config(const Config& config);

}  // namespace srcextract
