#pragma once

#include <string>

namespace srcextract {

/// The text of config/default.yaml, the configuration of a run that names none.
const std::string& default_yaml();

/// The text of config/radio.yaml.
const std::string& radio_yaml();

/// The text of config/crowd.yaml.
const std::string& crowd_yaml();

}  // namespace srcextract
