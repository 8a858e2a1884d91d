#pragma once

#include <cstdint>

namespace srcextract {

/// Largest piece given to zlib, which counts bytes in 32 bits.
inline constexpr std::int64_t zlib_limit = std::int64_t{1} << 30;

}  // namespace srcextract
