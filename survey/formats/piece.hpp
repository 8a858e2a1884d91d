#pragma once

#include <algorithm>
#include <cstddef>

namespace srcextract {

/// Approximate number of bytes of table rows that are read or written at a time.
inline constexpr std::size_t piece_bytes = std::size_t{4} << 20;

/// Number of table rows that are read or written at a time, at least one.
inline std::size_t rows_in_piece(std::size_t row_bytes) {
  return std::max<std::size_t>(1, piece_bytes / row_bytes);
}

}  // namespace srcextract
