#pragma once

#include <string>

namespace srcextract {

/// The text of config/default.yaml, the configuration if the user names none.
const std::string& default_yaml();

const std::string& radio_yaml();

const std::string& crowd_yaml();

}  // namespace srcextract
