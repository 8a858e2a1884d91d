#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace srcextract {

/// Settings of a command line option: `dotted.key=value`.
struct Overrides {
  std::string
      option;  ///< prefix of error messages and of Config::set_at: `--set`; a blank follows unless it ends in ':'
  std::vector<std::string> settings = {};
};

/// Overrides of `--set`.
Overrides set_overrides(const std::vector<std::string>& settings);

/// Keys that were set without effect, by their paths, with the error message for each.
using UnusedKeys = std::map<std::string, std::string>;

/// A configuration from a file and then options. A key without use because of other keys gets its default. The default
/// is no error if the file by itself uses the key and an option makes it useless. Otherwise it is an error, unless the
/// configuration of another image uses the key: require_use decides.
struct GivenConfig {
  GivenConfig() = default;
  GivenConfig(const Config& all) : written(all), config(all) {}

  Config written;                           ///< every key as set
  Config config;                            ///< the resolved configuration
  UnusedKeys unused = {};                   ///< errors, unless another configuration uses the key
  std::set<std::string> used_in_file = {};  ///< keys that the file by itself uses, whatever options change; no errors
};

/// As parse_config and for a file, but without errors about keys without use. An empty path means config/default.yaml,
/// which is part of the program.
GivenConfig parse_given(const std::string& yaml, const std::string& name, const Overrides& overrides);
GivenConfig load_given(const std::string& path, const Overrides& overrides = {});

/// Adds settings for some images alone. Throws Error{config} if such a setting has no use. Other errors that the
/// settings cause are reported for `name`.
GivenConfig override_given(const GivenConfig& given, const std::string& name, const Overrides& overrides);

/// Throws Error{config} for a key that has no use in any of these configurations, which are all of a run.
void require_use(const std::vector<UnusedKeys>& of_all);

}  // namespace srcextract
