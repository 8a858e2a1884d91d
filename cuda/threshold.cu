#include "stages/threshold.hpp"

#include <limits>

#include "cuda/scan.hpp"
#include "stages/ordered_key.hpp"

namespace srcextract {

namespace {

/// Words of 32 pixels that a warp reads at a time: so many loads are under way for each thread.
constexpr int words_per_warp = 8;

/// The foreground as bits, 32 pixels a word, every row beginning with a word of its own. Fewer than 2^32 words: an
/// image has fewer than 2^31 rows.
struct Mask {
  const std::uint32_t* words;
  std::uint32_t words_per_row;

  __device__ bool begins_row(std::int64_t i) const { return static_cast<std::uint32_t>(i) % words_per_row == 0; }
  /// Whether a run reaches from the word before into word `i`, and from word `i` into the one after.
  __device__ std::uint32_t joined_before(std::int64_t i) const {
    return (words[i] & 1u) != 0 && !begins_row(i) ? words[i - 1] >> 31 : 0u;
  }
  __device__ std::uint32_t joined_after(std::int64_t i, std::int64_t count) const {
    return words[i] >> 31 != 0 && i + 1 < count && !begins_row(i + 1) ? words[i + 1] & 1u : 0u;
  }
};

/// Loads pixel `lane` of words_per_warp words, from word `first` on; what is not in the image is above nothing. Lanes
/// read neighbouring pixels, so rows may begin at any address.
__device__ void load_words(const float* pixels, std::int64_t width, std::uint32_t words_per_row, std::int64_t words,
                           std::int64_t first, int lane, float (&pixel)[words_per_warp]) {
  std::uint32_t row = static_cast<std::uint32_t>(first) / words_per_row;
  std::uint32_t column = static_cast<std::uint32_t>(first) - row * words_per_row;
  if ((std::int64_t{column} + words_per_warp) * 32 <= width) {  // all in one row: nearly always
    const float* from = pixels + row * width + std::int64_t{column} * 32 + lane;
#pragma unroll
    for (int k = 0; k < words_per_warp; ++k) pixel[k] = from[32 * k];
    return;
  }
#pragma unroll
  for (int k = 0; k < words_per_warp; ++k) {
    const std::int64_t x = std::int64_t{column} * 32 + lane;
    const bool inside = first + k < words && x < width;
    pixel[k] = inside ? pixels[row * width + x] : std::numeric_limits<float>::quiet_NaN();
    if (++column == words_per_row) {
      column = 0;
      ++row;
    }
  }
}

/// A warp takes words_per_warp words at a time; lane k of it keeps word k.
__global__ void mark_kernel(const float* pixels, std::int64_t width, std::uint32_t words_per_row, std::int64_t words,
                            const Levels* levels, std::uint32_t* mask) {
  const float level = floor_to_float(levels->detection);
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t stride = thread_total() / 32 * words_per_warp;
  for (std::int64_t first = thread_index() / 32 * words_per_warp; first < words; first += stride) {
    float pixel[words_per_warp];
    load_words(pixels, width, words_per_row, words, first, lane, pixel);
    std::uint32_t kept = 0;
#pragma unroll
    for (int k = 0; k < words_per_warp; ++k) {
      const std::uint32_t word = __ballot_sync(0xffffffffu, pixel[k] > level);
      if (lane == k) kept = word;
    }
    if (lane < words_per_warp && first + lane < words) mask[first + lane] = kept;
  }
}

/// Number of runs that begin in word i.
struct CountBegins {
  Mask mask;
  __device__ std::int64_t operator()(std::int64_t i) const {
    const std::uint32_t word = mask.words[i];
    return word == 0 ? 0 : __popc(word & ~(word << 1 | mask.joined_before(i)));
  }
};

/// Writes what begins and what ends in word i, `begun` runs having begun before it: the k-th run that begins and the
/// k-th that ends, in raster order, are the same one.
struct WriteRuns {
  Mask mask;
  std::int64_t words;
  Run* runs;
  std::int64_t room;
  std::int64_t* row_begin;

  __device__ void operator()(std::int64_t i, std::int64_t begun) const {
    const std::uint32_t y = static_cast<std::uint32_t>(i) / mask.words_per_row;
    const std::uint32_t column = static_cast<std::uint32_t>(i) - y * mask.words_per_row;
    if (column == 0) row_begin[y] = begun;
    const std::uint32_t word = mask.words[i];
    if (word == 0) return;

    const auto x = static_cast<std::int32_t>(column * 32);
    const std::uint32_t from_before = mask.joined_before(i);
    std::int64_t next = begun;
    for (std::uint32_t bits = word & ~(word << 1 | from_before); bits != 0 && next < room; bits &= bits - 1, ++next) {
      runs[next].y = static_cast<std::int32_t>(y);
      runs[next].begin = x + __ffs(static_cast<int>(bits)) - 1;
    }
    next = begun - from_before;  // the first end here is that of the run that reaches into this word
    const std::uint32_t ends = word & ~(word >> 1 | mask.joined_after(i, words) << 31);
    for (std::uint32_t bits = ends; bits != 0 && next < room; bits &= bits - 1, ++next) {
      runs[next].end = x + __ffs(static_cast<int>(bits));
    }
  }
};

/// Runs are numbered in 32 bits (check_run_count).
std::int64_t room_for_runs(const Shape& shape, const Gpu& where) {
  const std::int64_t most = (shape.width + 1) / 2 * shape.height;
  const std::int64_t wanted = where.capacity.runs > 0 ? std::min(where.capacity.runs, most) : most;
  return std::min<std::int64_t>(wanted, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Gpu& where) {
  const auto [width, height] = image.shape;
  const std::int64_t words_per_row = (width + 31) / 32;
  const std::int64_t words = words_per_row * height;
  if (words == 0) return {image.shape, {}, filled<std::int64_t>(height + 1, 0, where)};

  Runs<Gpu> result{image.shape, {room_for_runs(image.shape, where), where}, {height + 1, where}};
  Buffer<std::uint32_t, Gpu> bits(words, where);
  const Mask mask{bits.data(), static_cast<std::uint32_t>(words_per_row)};
  mark_kernel<<<grid_for((words + words_per_warp - 1) / words_per_warp * 32, where), block_threads, 0, where.stream>>>(
      image.pixels.data(), width, mask.words_per_row, words, levels.data(), bits.data());
  check_launch();
  const WriteRuns write{mask, words, result.runs.data(), result.runs.size(), result.row_begin.data()};
  exclusive_scan(ItemCount{nullptr, words}, CountBegins{mask}, write, result.row_begin.data() + height, where);
  return result;
}

}  // namespace srcextract
