#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>

#include "stages/core/parallel.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Number of pixels in one word of a mask. Bit i of a word is 1 if pixel i of the word is foreground.
template <std::unsigned_integral Word>
inline constexpr std::int64_t word_pixels = std::numeric_limits<Word>::digits;

/// Number of rows that a thread handles at a time: about 2^18 pixels.
inline std::int64_t rows_per_piece(std::int64_t width) {
  constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;
  return std::max<std::int64_t>(1, piece_pixels / std::max<std::int64_t>(1, width));
}

/// Returns a word with a bit set for each foreground pixel whose left neighbour is background, and for each background
/// pixel whose left neighbour is foreground. `before` is 1 if the pixel to the left of the word is foreground, else 0.
template <std::unsigned_integral Word>
inline Word edges_of(Word word, Word before) {
  return word ^ (word << 1 | before);
}

/// Writes the runs (maximal stretches of foreground pixels) of row y to `runs`. Bits of the last word beyond the row's
/// end must be 0.
template <std::unsigned_integral Word>
void write_runs(const Word* words, std::int64_t width, std::int32_t y, Run* runs) {
  std::int32_t begin = 0;
  Word before = 0;
  for (std::int64_t x = 0; x < width; x += word_pixels<Word>, ++words) {
    // Edges are alternately the first pixel of a run and the pixel after its last. If a run continues beyond the word,
    // `begin` keeps the run's first pixel.
    Word open = before;
    for (Word edges = edges_of(*words, before); edges != 0; edges &= edges - 1) {
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

/// Lists the runs of a mask of this shape. Bits beyond the end of a row must be 0. count_rows(y, end, counts) must
/// write the number of runs in each of the rows [y, end) to `counts`. Several threads call count_rows, each for its own
/// rows. `words` may be uninitialised before: count_rows may fill in the words of its rows.
template <std::unsigned_integral Word, class CountRows>
Runs<Cpu> list_runs(const Shape& shape, const Word* words, const CountRows& count_rows, const Cpu& where) {
  const std::int64_t width = shape.width;
  const std::int64_t height = shape.height;
  const std::int64_t words_per_row = (width + word_pixels<Word> - 1) / word_pixels<Word>;
  Runs<Cpu> result{shape, {}, Buffer<std::int64_t, Cpu>(height + 1, where)};
  parallel_for(height, rows_per_piece(width), where, [&](std::int64_t first, std::int64_t last) {
    count_rows(first, last, result.row_begin.data() + first + 1);
  });
  result.row_begin[0] = 0;
  for (std::int64_t y = 0; y < height; ++y) result.row_begin[y + 1] += result.row_begin[y];

  result.runs = Buffer<Run, Cpu>(result.row_begin[height], where);
  parallel_for(height, rows_per_piece(width), where, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t y = first; y < last; ++y) {
      if (result.row_begin[y] == result.row_begin[y + 1]) continue;
      write_runs(words + y * words_per_row, width, static_cast<std::int32_t>(y),
                 result.runs.data() + result.row_begin[y]);
    }
  });
  return result;
}

}  // namespace srcextract
