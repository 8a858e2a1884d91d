#pragma once

#include <string>

namespace srcextract {

/// Whether a path has a "..", which could lead out of the directory that it is joined to.
inline bool leads_up(const std::string& path) {
  return ("/" + path + "/").find("/../") != std::string::npos;
}

}  // namespace srcextract
