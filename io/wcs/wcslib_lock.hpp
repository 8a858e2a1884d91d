#pragma once

#include <mutex>

namespace srcextract {

/// Lock for wcslib's setup of a description, in which it parses units. The parser of some versions keeps its state in
/// static variables.
inline std::mutex wcslib_parsers;

}  // namespace srcextract
