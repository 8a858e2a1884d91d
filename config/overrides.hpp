#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace srcextract {

/// What an option of the command line sets: `dotted.key=value`.
struct Overrides {
  std::string
      option;  ///< which errors, and Config::set_at, begin with: `--set`; after one that ends in : comes no blank
  std::vector<std::string> settings = {};
};

/// The same of `--set`.
Overrides set_overrides(const std::vector<std::string>& settings);

/// Keys that were set and that nothing uses, by their paths, with what is to be said of each.
using UnusedKeys = std::map<std::string, std::string>;

/// A configuration as a file and options, one after the other, give it. Of a key that the others leave without use the
/// default holds. That is no mistake where the file by itself would use what it says, and an option does not; else it
/// is one unless the configuration of another image uses the key: require_use judges.
struct GivenConfig {
  GivenConfig() = default;
  GivenConfig(const Config& all) : written(all), config(all) {}

  Config written;                           ///< every key as it was set
  Config config;                            ///< what that comes to
  UnusedKeys unused = {};                   ///< what is a mistake unless another configuration uses it
  std::set<std::string> used_in_file = {};  ///< the file's keys that are none, whatever options make of them
};

/// parse_config, before anything is said of keys without use, and the same of a file.
GivenConfig parse_given(const std::string& yaml, const std::string& name, const Overrides& overrides);
GivenConfig load_given(const std::string& path, const Overrides& overrides = {});

/// The same with further settings, for some images alone. What they set is theirs: Error{config} where that is of no
/// use. What they make wrong of the rest is said to be in `name`.
GivenConfig override_given(const GivenConfig& given, const std::string& name, const Overrides& overrides);

/// Throws Error{config} for a key that is of no use in any of these, which are those of all images of a run.
void require_use(const std::vector<UnusedKeys>& of_all);

}  // namespace srcextract
