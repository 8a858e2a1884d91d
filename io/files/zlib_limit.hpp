#pragma once

#include <cstdint>

namespace srcextract {

/// Largest number of bytes passed to zlib in one call, 1 GiB. zlib counts bytes in 32 bits.
inline constexpr std::int64_t zlib_limit = std::int64_t{1} << 30;

}  // namespace srcextract
