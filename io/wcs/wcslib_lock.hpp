#pragma once

#include <mutex>

namespace srcextract {

/// Held by whoever parses header cards or units: those parsers keep state in static variables in some versions of
/// wcslib.
inline std::mutex wcslib_parsers;

}  // namespace srcextract
