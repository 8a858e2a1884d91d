#pragma once

#include <algorithm>
#include <cstddef>

namespace srcextract {

/// Rows are read and written in pieces of about so many bytes.
inline constexpr std::size_t piece_bytes = std::size_t{4} << 20;

/// How many rows of so many bytes, at least one, are a piece.
inline std::size_t rows_in_piece(std::size_t row_bytes) {
  return std::max<std::size_t>(1, piece_bytes / row_bytes);
}

}  // namespace srcextract
