#pragma once

#include <string>

namespace srcextract {

/// The text of config/default.yaml, the configuration of a run that names none.
const std::string& default_yaml();

}  // namespace srcextract
