#include "stages/threshold.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "cuda/launch.hpp"
#include "stages/ordered_key.hpp"

namespace srcextract {

namespace {

/// The foreground as bits, 32 pixels a word, every row beginning with a word of its own.
struct Mask {
  const std::uint32_t* words;
  std::int64_t words_per_row;

  /// Whether the pixel before the first of word `i` is foreground.
  __device__ std::uint32_t before(std::int64_t i) const { return i % words_per_row == 0 ? 0u : words[i - 1] >> 31; }
  /// Whether the pixel after the last of word `i` is foreground.
  __device__ std::uint32_t after(std::int64_t i) const { return (i + 1) % words_per_row == 0 ? 0u : words[i + 1] & 1u; }
  /// The pixels of word `i` that begin, and that end, a run.
  __device__ std::uint32_t begins(std::int64_t i) const { return words[i] & ~((words[i] << 1) | before(i)); }
  __device__ std::uint32_t ends(std::int64_t i) const { return words[i] & ~((words[i] >> 1) | (after(i) << 31)); }
};

/// One warp a word.
__global__ void mark_kernel(const float* pixels, std::int64_t width, std::int64_t words_per_row, std::int64_t words,
                            float level, std::uint32_t* mask) {
  const std::int64_t word = thread_index() / 32;
  if (word >= words) return;
  const std::int64_t x = word % words_per_row * 32 + threadIdx.x % 32;
  const bool above = x < width && pixels[word / words_per_row * width + x] > level;
  const std::uint32_t bits = __ballot_sync(0xffffffffu, above);
  if (threadIdx.x % 32 == 0) mask[word] = bits;
}

/// Number of runs that begin in word i; 0 for the word after the last, so that a scan ends with the total.
struct CountBegins {
  Mask mask;
  std::int64_t words;
  __device__ std::int64_t operator()(std::int64_t i) const { return i < words ? __popc(mask.begins(i)) : 0; }
};

/// The k-th run that begins and the k-th that ends, in raster order, are the same one.
__global__ void write_runs_kernel(Mask mask, std::int64_t words, const std::int64_t* begun, Run* runs,
                                  std::int64_t* row_begin) {
  const std::int64_t word = thread_index();
  if (word > words) return;
  if (word % mask.words_per_row == 0) row_begin[word / mask.words_per_row] = begun[word];
  if (word == words) return;
  const auto y = static_cast<std::int32_t>(word / mask.words_per_row);
  const auto x = static_cast<std::int32_t>(word % mask.words_per_row * 32);
  std::int64_t next = begun[word];
  for (std::uint32_t bits = mask.begins(word); bits != 0; bits &= bits - 1, ++next) {
    runs[next].y = y;
    runs[next].begin = x + __ffs(static_cast<int>(bits)) - 1;
  }
  // The first end here may be that of a run that reaches into this word from the one before.
  next = begun[word] - (mask.before(word) & mask.words[word] & 1u);
  for (std::uint32_t bits = mask.ends(word); bits != 0; bits &= bits - 1, ++next) {
    runs[next].end = x + __ffs(static_cast<int>(bits));
  }
}

}  // namespace

Runs<Gpu> find_runs(const Image<float, Gpu>& image, double level, const Gpu& where) {
  const auto [width, height] = image.shape;
  const std::int64_t words_per_row = (width + 31) / 32;
  const std::int64_t words = words_per_row * height;
  Runs<Gpu> result{image.shape, {}, filled<std::int64_t>(height + 1, 0, where)};
  if (words == 0) return result;

  Buffer<std::uint32_t, Gpu> bits(words, where);
  mark_kernel<<<blocks_for(words * 32), block_threads, 0, where.stream>>>(image.pixels.data(), width, words_per_row,
                                                                          words, floor_to_float(level), bits.data());
  check_launch();

  const Mask mask{bits.data(), words_per_row};
  Buffer<std::int64_t, Gpu> begun(words + 1, where);
  const auto counts =
      thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), CountBegins{mask, words});
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts, begun.data(), words + 1, where.stream);
  });

  result.runs = Buffer<Run, Gpu>(read_element(begun, words, where), where);
  write_runs_kernel<<<blocks_for(words + 1), block_threads, 0, where.stream>>>(
      mask, words, begun.data(), result.runs.data(), result.row_begin.data());
  check_launch();
  return result;
}

}  // namespace srcextract
