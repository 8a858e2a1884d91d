#include "stages/detect/morphology.hpp"

#include "cuda/detect/mask_runs.hpp"
#include "stages/detect/morphology_step.hpp"

namespace srcextract {

namespace {

/// Number of consecutive rows for which a thread computes one word each. A loaded word serves as the row below, the row
/// itself and the row above, so fewer loads are needed.
constexpr std::uint32_t strip_rows = 4;

/// A word of a mask row, with its left and right neighbours in the row; 0 outside the row.
struct ThreeWords {
  std::uint32_t before, word, after;
};

/// A mask to read, where pixels outside the image are no foreground.
struct MaskWords {
  const std::uint32_t* words;
  std::uint32_t words_per_row;
  std::uint32_t height;
  std::uint32_t last_word;  ///< bits that are pixels of the image, in the last word of a row

  /// Loads a word and its neighbours. `row` may be outside the image; the row above the first is 0 - 1, which is a
  /// large unsigned number.
  __device__ ThreeWords load(std::uint32_t row, std::uint32_t column) const {
    if (row >= height) return {0, 0, 0};
    const std::uint32_t* const at = words + row * words_per_row + column;
    return {column > 0 ? at[-1] : 0, at[0], column + 1 < words_per_row ? at[1] : 0};
  }
};

template <class Operation, StructuringElement element>
__device__ std::uint32_t step_word(const ThreeWords& above, const ThreeWords& here, const ThreeWords& below) {
  const std::uint32_t joined = join_rows<Operation>(above.word, here.word, below.word);
  if (element == StructuringElement::cross) return join_sides<Operation>(joined, here.before, here.word, here.after);
  return join_sides<Operation>(joined, join_rows<Operation>(above.before, here.before, below.before), joined,
                               join_rows<Operation>(above.after, here.after, below.after));
}

template <class Operation, StructuringElement element>
__global__ void __launch_bounds__(block_threads) step_kernel(MaskWords mask, std::uint32_t* result) {
  const auto index = static_cast<std::uint32_t>(thread_index());
  const std::uint32_t column = index % mask.words_per_row;
  const std::uint32_t first = index / mask.words_per_row * strip_rows;
  if (first >= mask.height) return;
  // Dilation may set bits beyond the end of the row; `pixels` clears these bits.
  const std::uint32_t pixels = column + 1 == mask.words_per_row ? mask.last_word : ~0u;

  ThreeWords rows[strip_rows + 2];
#pragma unroll
  for (std::uint32_t k = 0; k < strip_rows + 2; ++k) rows[k] = mask.load(first + k - 1, column);
#pragma unroll
  for (std::uint32_t k = 0; k < strip_rows; ++k) {
    if (first + k >= mask.height) return;
    result[(first + k) * mask.words_per_row + column] =
        step_word<Operation, element>(rows[k], rows[k + 1], rows[k + 2]) & pixels;
  }
}

template <class Operation>
void queue_step(const BitMask<Gpu>& mask, StructuringElement element, BitMask<Gpu>& result, const Gpu& where) {
  const std::int64_t strips = (mask.shape.height + strip_rows - 1) / strip_rows;
  const MaskWords words{mask.words.data(), static_cast<std::uint32_t>(mask.words_per_row()),
                        static_cast<std::uint32_t>(mask.shape.height), pixels_until(mask.shape.width)};
  const auto kernel = element == StructuringElement::cross ? step_kernel<Operation, StructuringElement::cross>
                                                           : step_kernel<Operation, StructuringElement::square>;
  kernel<<<blocks_for(strips * mask.words_per_row()), block_threads, 0, where.stream>>>(words, result.words.data());
  check_launch();
}

/// Sets the bits of one run per lane; a lane without a run passes `end` 0. All lanes of a warp must call this function
/// together, since they share the work on words between the first and the last word of long runs.
__device__ void set_pixels(std::uint32_t* row, std::int32_t begin, std::int32_t end) {
  const std::int32_t first = begin / 32;
  const std::int32_t last = end > 0 ? (end - 1) / 32 : first;
  if (end > 0 && first == last) atomicOr(row + first, pixels_from(begin) & pixels_until(end));
  if (first < last) {
    atomicOr(row + first, pixels_from(begin));
    atomicOr(row + last, pixels_until(end));
  }
  unsigned int wide = __ballot_sync(all_lanes, first + 1 < last);
  for (; wide != 0; wide &= wide - 1) {
    const int from = __ffs(static_cast<int>(wide)) - 1;
    auto* const words =
        reinterpret_cast<std::uint32_t*>(__shfl_sync(all_lanes, reinterpret_cast<unsigned long long>(row), from));
    const std::int32_t until = __shfl_sync(all_lanes, last, from);
    for (std::int32_t i = __shfl_sync(all_lanes, first, from) + 1 + lane(); i < until; i += 32) words[i] = ~0u;
  }
}

__global__ void __launch_bounds__(block_threads)
    paint_kernel(const Run* runs, ItemCount count, std::uint32_t words_per_row, std::uint32_t* words) {
  const std::int64_t runs_there = count();
  for (std::int64_t first = thread_index() - lane(); first < runs_there; first += thread_total()) {
    const Run run = first + lane() < runs_there ? runs[first + lane()] : Run{0, 0, 0};
    set_pixels(words + std::int64_t{run.y} * words_per_row, run.begin, run.end);
  }
}

/// The foreground of a bit mask, as the `source` of mark_chunk().
struct Foreground {
  const std::uint32_t* words;
  std::uint32_t count;

  __device__ std::uint32_t load_before(const Mask&, std::uint32_t tile) const {
    return tile > 0 ? words[tile * tile_words - 1] : 0;
  }
  __device__ bool is_foreground(std::uint32_t word_before) const { return word_before >> 31 != 0; }
  __device__ std::uint32_t mark_word(const Mask&, std::uint32_t tile) const {
    const std::uint32_t index = tile * tile_words + lane();
    return index < count ? words[index] : 0;
  }
};

__global__ void __launch_bounds__(block_threads, mark_blocks)
    mark_kernel(Foreground foreground, Mask mask, MaskSummary summary) {
  mark_chunk(foreground, mask, summary);
}

}  // namespace

BitMask<Gpu> erode(const BitMask<Gpu>& mask, StructuringElement element, std::int64_t iterations, const Gpu& where) {
  return repeat_step(mask, iterations, where, [&](const BitMask<Gpu>& from, BitMask<Gpu>& to) {
    queue_step<Erosion>(from, element, to, where);
  });
}

BitMask<Gpu> dilate(const BitMask<Gpu>& mask, StructuringElement element, std::int64_t iterations, const Gpu& where) {
  return repeat_step(mask, iterations, where, [&](const BitMask<Gpu>& from, BitMask<Gpu>& to) {
    queue_step<Dilation>(from, element, to, where);
  });
}

BitMask<Gpu> to_mask(const Runs<Gpu>& runs, const Gpu& where) {
  BitMask<Gpu> mask;
  mask.shape = runs.shape;
  mask.words = filled<std::uint32_t>(mask.words_per_row() * mask.shape.height, 0, where);
  if (mask.words.empty()) return mask;
  paint_kernel<<<grid_for(runs.runs.size(), where), block_threads, 0, where.stream>>>(
      runs.runs.data(), items_of(runs), static_cast<std::uint32_t>(mask.words_per_row()), mask.words.data());
  check_launch();
  return mask;
}

Runs<Gpu> to_runs(const BitMask<Gpu>& mask, const Gpu& where) {
  const Foreground foreground{mask.words.data(), static_cast<std::uint32_t>(mask.words.size())};
  const auto mark = [&](unsigned int blocks, const Mask& marked, const MaskSummary& summary) {
    mark_kernel<<<blocks, block_threads, 0, where.stream>>>(foreground, marked, summary);
  };
  return list_runs(mask.shape, mark, where);
}

}  // namespace srcextract
