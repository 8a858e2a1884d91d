#include "stages/threshold.hpp"

#include <algorithm>
#include <bit>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/ordered_key.hpp"

namespace srcextract {

namespace {

/// Rows are handed out in pieces of about this many pixels.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;

/// Pixels of a row whose foreground is kept together: bit i of a word is pixel i.
constexpr std::int64_t word_pixels = 64;

/// Written so that compilers make it vector comparisons and a few ORs.
inline std::uint32_t half_word(const float* pixels, float level) {
  std::uint32_t bits = 0;
  for (std::int64_t i = 0; i < word_pixels / 2; ++i) bits |= (pixels[i] > level ? std::uint32_t{1} : 0) << i;
  return bits;
}

/// Where the foreground of a row begins or ends within a word. `before`: whether the pixel before the word is
/// foreground.
inline std::uint64_t edges_of(std::uint64_t word, std::uint64_t before) {
  return word ^ (word << 1 | before);
}

/// Marks the foreground of one row, padded with background to whole words; returns the number of its runs.
SRCEXTRACT_VECTOR_CLONES
std::int64_t mark_row(const float* row, std::int64_t width, float level, std::uint64_t* words) {
  std::int64_t begins = 0;
  std::uint64_t before = 0;
  for (std::int64_t x = 0; x < width; x += word_pixels, ++words) {
    std::uint64_t word = 0;
    if (width - x >= word_pixels) {
      word = half_word(row + x, level) | std::uint64_t{half_word(row + x + word_pixels / 2, level)} << word_pixels / 2;
    } else {
      for (std::int64_t i = 0; i < width - x; ++i) word |= (row[x + i] > level ? std::uint64_t{1} : 0) << i;
    }
    *words = word;
    begins += std::popcount(word & edges_of(word, before));
    before = word >> (word_pixels - 1);
  }
  return begins;
}

/// Writes the runs of one row.
void write_runs(const std::uint64_t* words, std::int64_t width, std::int32_t y, Run* runs) {
  std::int32_t begin = 0;
  std::uint64_t before = 0;
  for (std::int64_t x = 0; x < width; x += word_pixels, ++words) {
    // Begins and ends alternate; a run that is open at the end of the word has its begin kept.
    std::uint64_t open = before;
    for (std::uint64_t edges = edges_of(*words, before); edges != 0; edges &= edges - 1) {
      const auto edge = static_cast<std::int32_t>(x + std::countr_zero(edges));
      if (open != 0) {
        *runs++ = {y, begin, edge};
      } else {
        begin = edge;
      }
      open ^= 1;
    }
    before = open;
  }
  if (before != 0) *runs = {y, begin, static_cast<std::int32_t>(width)};
}

}  // namespace

Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Cpu& where) {
  const std::int64_t width = image.shape.width;
  const std::int64_t height = image.shape.height;
  const float float_level = floor_to_float(levels->detection);
  const std::int64_t rows_per_piece = std::max<std::int64_t>(1, piece_pixels / std::max<std::int64_t>(1, width));
  const std::int64_t words_per_row = (width + word_pixels - 1) / word_pixels;

  // The image is read once; its foreground, a bit a pixel, is small enough to stay in the caches.
  Buffer<std::uint64_t, Cpu> words(height * words_per_row, where);
  Runs<Cpu> result{image.shape, {}, Buffer<std::int64_t, Cpu>(height + 1, where)};
  parallel_for(height, rows_per_piece, where, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y) {
      result.row_begin[y + 1] =
          mark_row(image.pixels.data() + y * width, width, float_level, words.data() + y * words_per_row);
    }
  });
  result.row_begin[0] = 0;
  for (std::int64_t y = 0; y < height; ++y) result.row_begin[y + 1] += result.row_begin[y];

  result.runs = Buffer<Run, Cpu>(result.row_begin[height], where);
  parallel_for(height, rows_per_piece, where, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y) {
      if (result.row_begin[y] == result.row_begin[y + 1]) continue;
      write_runs(words.data() + y * words_per_row, width, static_cast<std::int32_t>(y),
                 result.runs.data() + result.row_begin[y]);
    }
  });
  return result;
}

}  // namespace srcextract
