#pragma once

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"

namespace srcextract {

/// Position of a mask word in the image: row, and column in units of words (32 pixels).
struct WordPlace {
  std::uint32_t row, column;
};

/// The tiles with indices `begin` to end - 1.
struct Tiles {
  std::uint32_t begin, end;

  /// Returns part i of these tiles, divided into n parts of nearly equal size.
  __device__ Tiles part(std::uint32_t i, std::uint32_t n) const {
    return {begin + (end - begin) * i / n, begin + (end - begin) * (i + 1) / n};
  }
};

/// Number of 32-bit words in a tile, the part of a mask that a warp marks at a time.
inline constexpr std::uint32_t tile_words = 32;

/// The foreground of an image as bits, 32 pixels per word; every row begins with a new word. The last tile is padded
/// with at least one word without foreground, so that every run of foreground pixels ends before the last word. There
/// are fewer than 2^32 words, since an image has fewer than 2^31 rows and fits into the memory of a GPU.
struct Mask {
  std::uint32_t* words;
  std::int64_t width, height;  ///< in pixels
  std::uint32_t words_per_row;
  std::uint32_t row_reciprocal;  ///< (2^32 - 1) / words_per_row, rounded down
  std::uint32_t tiles;
  std::uint32_t tiles_per_chunk;

  /// Returns the tiles of chunk i, which block i marks.
  __device__ Tiles chunk(std::uint32_t i) const {
    return {min(tiles, i * tiles_per_chunk), min(tiles, (i + 1) * tiles_per_chunk)};
  }

  /// Returns the position of a word. Words that pad the last tile have row numbers from `height` on.
  __device__ WordPlace place(std::uint32_t word) const {
    const std::uint32_t row = __umulhi(word, row_reciprocal);  // may be too small by 1
    const std::uint32_t column = word - row * words_per_row;
    return column < words_per_row ? WordPlace{row, column} : WordPlace{row + 1, column - words_per_row};
  }
};

}  // namespace srcextract
