#pragma once

#include <string>

namespace srcextract {

/// Whether ".." is a component of a path. If joined to a directory, the path could lead out of that directory.
inline bool leads_up(const std::string& path) {
  return ("/" + path + "/").find("/../") != std::string::npos;
}

}  // namespace srcextract
