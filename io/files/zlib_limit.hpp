#pragma once

#include <cstdint>

namespace srcextract {

/// zlib counts bytes in 32 bits: more are given to it in pieces.
inline constexpr std::int64_t zlib_limit = std::int64_t{1} << 30;

}  // namespace srcextract
