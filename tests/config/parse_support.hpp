#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "tests/support/config_error.hpp"

namespace srcextract::testing {

/// A configuration, or a setting, and what is said of it.
struct Wrong {
  const char* yaml;
  const char* message;
};

/// The Error{config} that a configuration `x.yaml` of this text gives.
inline std::string message(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return config_error([&] { parse_config(yaml, "x.yaml", overrides); });
}

inline Config parse(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  return parse_config(yaml, "x.yaml", overrides);
}

}  // namespace srcextract::testing
