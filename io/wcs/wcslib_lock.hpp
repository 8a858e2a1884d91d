#pragma once

#include <mutex>

namespace srcextract {

/// Held by whoever has wcslib set a description up: it parses the units there, in a parser that keeps its state in
/// static variables in some versions.
inline std::mutex wcslib_parsers;

}  // namespace srcextract
