#include "stages/detect/morphology.hpp"

#include <algorithm>

#include "stages/core/vector_clones.hpp"
#include "stages/detect/mask_runs.hpp"
#include "stages/detect/morphology_step.hpp"

namespace srcextract {

namespace {

/// The words (32 pixels each) of a row of a mask, and of the rows above and below.
struct ThreeRows {
  const std::uint32_t* above;
  const std::uint32_t* row;
  const std::uint32_t* below;
};

/// Working memory for one row. `joined` is the row combined with the rows above and below. `sides` is the row whose
/// pixels are then combined with their left and right neighbours. `sides` has an additional word of background at each
/// end.
struct Scratch {
  Scratch(std::int64_t row_words, const Cpu& where) : joined(row_words, where), sides(row_words + 2, where) {
    *sides.begin() = *(sides.end() - 1) = 0;
  }

  Buffer<std::uint32_t, Cpu> joined;
  Buffer<std::uint32_t, Cpu> sides;
};

template <class Operation>
SRCEXTRACT_VECTOR_CLONES void step_row(const ThreeRows& rows, std::int64_t words, StructuringElement element,
                                       Scratch& scratch, std::uint32_t* out) {
  const auto [above, row, below] = rows;
  std::uint32_t* const joined = scratch.joined.data();
  std::uint32_t* const sides = scratch.sides.data() + 1;
  for (std::int64_t i = 0; i < words; ++i) joined[i] = join_rows<Operation>(above[i], row[i], below[i]);
  std::copy_n(element == StructuringElement::cross ? row : joined, words, sides);
  for (std::int64_t i = 0; i < words; ++i) {
    out[i] = join_sides<Operation>(joined[i], sides[i - 1], sides[i], sides[i + 1]);
  }
}

template <class Operation>
void step_mask(const BitMask<Cpu>& mask, StructuringElement element, BitMask<Cpu>& result, const Cpu& where) {
  const std::int64_t words = mask.words_per_row();
  const std::int64_t height = mask.shape.height;
  Buffer<std::uint32_t, Cpu> beyond(words, where);
  std::fill(beyond.begin(), beyond.end(), 0);
  const auto row_of = [&](std::int64_t y) {
    return y < 0 || y >= height ? beyond.data() : mask.words.data() + y * words;
  };
  parallel_for(height, rows_per_piece(mask.shape.width), where, [&](std::int64_t first, std::int64_t last) {
    Scratch scratch(words, where);
    for (std::int64_t y = first; y < last; ++y) {
      std::uint32_t* const out = result.words.data() + y * words;
      step_row<Operation>({row_of(y - 1), row_of(y), row_of(y + 1)}, words, element, scratch, out);
      out[words - 1] &= pixels_until(mask.shape.width);  // dilation may set bits beyond the end of the row
    }
  });
}

void set_pixels(const Run& run, std::uint32_t* row) {
  std::uint32_t* const first = row + run.begin / 32;
  std::uint32_t* const last = row + (run.end - 1) / 32;
  if (first == last) {
    *first |= pixels_from(run.begin) & pixels_until(run.end);
    return;
  }
  *first |= pixels_from(run.begin);
  std::fill(first + 1, last, ~std::uint32_t{0});
  *last |= pixels_until(run.end);
}

SRCEXTRACT_VECTOR_CLONES
std::int64_t count_runs(const std::uint32_t* row, std::int64_t words) {
  std::int64_t begins = 0;
  std::uint32_t before = 0;
  for (std::int64_t i = 0; i < words; ++i) {
    begins += std::popcount(row[i] & edges_of(row[i], before));
    before = row[i] >> 31;
  }
  return begins;
}

}  // namespace

BitMask<Cpu> erode(const BitMask<Cpu>& mask, StructuringElement element, std::int64_t iterations, const Cpu& where) {
  return repeat_step(mask, iterations, where,
                     [&](const BitMask<Cpu>& from, BitMask<Cpu>& to) { step_mask<Erosion>(from, element, to, where); });
}

BitMask<Cpu> dilate(const BitMask<Cpu>& mask, StructuringElement element, std::int64_t iterations, const Cpu& where) {
  return repeat_step(mask, iterations, where, [&](const BitMask<Cpu>& from, BitMask<Cpu>& to) {
    step_mask<Dilation>(from, element, to, where);
  });
}

BitMask<Cpu> to_mask(const Runs<Cpu>& runs, const Cpu& where) {
  BitMask<Cpu> mask(runs.shape, where);
  const std::int64_t words = mask.words_per_row();
  parallel_for(runs.shape.height, rows_per_piece(runs.shape.width), where, [&](std::int64_t first, std::int64_t last) {
    std::fill(mask.words.data() + first * words, mask.words.data() + last * words, 0);
    for (std::int64_t i = runs.row_begin[first]; i < runs.row_begin[last]; ++i) {
      set_pixels(runs.runs[i], mask.words.data() + runs.runs[i].y * words);
    }
  });
  return mask;
}

Runs<Cpu> to_runs(const BitMask<Cpu>& mask, const Cpu& where) {
  const std::int64_t words = mask.words_per_row();
  const auto count_rows = [&](std::int64_t y, std::int64_t end, std::int64_t* counts) {
    for (; y < end; ++y) *counts++ = count_runs(mask.words.data() + y * words, words);
  };
  return list_runs(mask.shape, mask.words.data(), count_rows, where);
}

}  // namespace srcextract
