#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"

namespace srcextract {

/// What an option of the command line sets: `dotted.key=value`.
struct Overrides {
  std::string
      option;  ///< which errors, and Config::set_at, begin with: `--set`; after one that ends in : comes no blank
  std::vector<std::string> settings;
};

/// override_config for settings of that option.
Config override_config(const Config& config, const std::string& name, const Overrides& overrides);

}  // namespace srcextract
