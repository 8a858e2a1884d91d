#include "stages/picture/picture.hpp"

#include <algorithm>
#include <cub/block/block_scan.cuh>
#include <limits>
#include <span>
#include <vector>

#include "cuda/device/launch.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/device/warp.hpp"
#include "stages/math/ordered_key.hpp"
#include "stages/picture/display_range.hpp"
#include "stages/picture/picture_bin.hpp"
#include "stages/picture/render_picture.hpp"

namespace srcextract {

namespace {

/// Number of threads of a block in kernels with a table in shared memory. table_blocks of these large blocks run on a
/// multiprocessor at the same time, so that few tables must be filled.
constexpr int table_threads = 1024;
constexpr int table_blocks = 2;

/// Largest number of bins that a block counts in shared memory. If there are more bins, other blocks read the image
/// again for the remaining bins.
constexpr std::int64_t bins_at_a_time = 16384;

unsigned int table_grid(std::int64_t pixels, const Gpu& where) {
  const std::int64_t wanted = (pixels + 4 * table_threads - 1) / (4 * table_threads);
  return static_cast<unsigned int>(std::clamp<std::int64_t>(wanted, 1, table_blocks * where.multiprocessors));
}

/// Allows a kernel to use more dynamic shared memory than the default, enough for the largest table. The limit does not
/// depend on the launch, since other threads may launch the same kernel at the same time.
template <class Kernel>
void allow_large_tables(const Kernel& kernel) {
  constexpr int bytes = 65536;
  static_assert(bins_at_a_time * sizeof(std::uint32_t) <= bytes);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

/// Calls f(pixel) for every pixel that this thread handles, with several loads in flight.
template <class F>
__device__ void for_each_pixel(const float* pixels, std::int64_t count, const F& f) {
  constexpr int loads = 4;
  const auto* quads = reinterpret_cast<const float4*>(pixels);
  const std::int64_t quad_count = count / 4;
  const std::int64_t step = thread_total();
  std::int64_t i = thread_index();
  for (; i + (loads - 1) * step < quad_count; i += loads * step) {
    float4 quad[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) quad[k] = quads[i + k * step];
#pragma unroll
    for (int k = 0; k < loads; ++k) f(quad[k].x), f(quad[k].y), f(quad[k].z), f(quad[k].w);
  }
  for (; i < quad_count; i += step) {
    const float4 quad = quads[i];
    f(quad.x), f(quad.y), f(quad.z), f(quad.w);
  }
  for (std::int64_t pixel = 4 * quad_count + thread_index(); pixel < count; pixel += step) f(pixels[pixel]);
}

__global__ void __launch_bounds__(block_threads)
    find_extremes_kernel(const float* pixels, std::int64_t count, KeyExtremes* extremes) {
  KeyExtremes found;
  for_each_pixel(pixels, count, [&](float pixel) { found.add(pixel); });
  __shared__ std::int32_t lowest[block_threads / 32];
  __shared__ std::int32_t highest[block_threads / 32];
  found = {__reduce_min_sync(all_lanes, found.lowest), __reduce_max_sync(all_lanes, found.highest)};
  if (threadIdx.x % 32 == 0) {
    lowest[threadIdx.x / 32] = found.lowest;
    highest[threadIdx.x / 32] = found.highest;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < block_threads / 32; ++warp) found.add({lowest[warp], highest[warp]});
  extremes[blockIdx.x] = found;
}

/// Counts the unmasked pixels of each chunk of chunk_pixels pixels, with one warp per chunk.
__global__ void __launch_bounds__(block_threads)
    count_unmasked_kernel(const float* pixels, std::int64_t count, std::uint32_t* unmasked, std::int64_t chunks) {
  const std::int64_t chunk = thread_index() / 32;
  if (chunk >= chunks) return;
  const std::int64_t end = min((chunk + 1) * chunk_pixels, count);
  std::uint32_t found = 0;
#pragma unroll 8
  for (std::int64_t i = chunk * chunk_pixels + threadIdx.x % 32; i < end; i += 32) {
    found += pixels[i] == pixels[i] ? 1 : 0;
  }
  found = __reduce_add_sync(all_lanes, found);
  if (threadIdx.x % 32 == 0) unmasked[chunk] = found;
}

/// Reads the pixels of the sample. Each warp finds one of these pixels: the unmasked pixel before which `before`
/// unmasked pixels of its chunk lie.
__global__ void __launch_bounds__(block_threads)
    draw_sample_kernel(const float* pixels, std::int64_t count, const SamplePlace* places, std::int64_t size,
                       float* sample) {
  const std::int64_t index = thread_index() / 32;
  if (index >= size) return;
  const std::int64_t begin = places[index].chunk * chunk_pixels;
  int before = places[index].before;
  for (std::int64_t i = begin + threadIdx.x % 32; before >= 0; i += 32) {
    const float pixel = i < count ? pixels[i] : std::numeric_limits<float>::quiet_NaN();
    const unsigned int unmasked = __ballot_sync(all_lanes, pixel == pixel);
    const unsigned int before_lane = unmasked & ((1u << threadIdx.x % 32) - 1);
    if (pixel == pixel && __popc(before_lane) == before) sample[index] = pixel;
    before -= __popc(unmasked);
  }
}

/// Counts the pixels in each bin. Blocks with blockIdx.y = y count the pixels in `size` bins from bin y * size on. Each
/// block counts in a table in shared memory, and adds the table to `counts` at the end.
__global__ void __launch_bounds__(table_threads, table_blocks)
    count_bins_kernel(const float* pixels, std::int64_t count, GreyBins bins, std::int32_t size, std::int32_t total,
                      std::uint32_t* counts) {
  extern __shared__ std::uint32_t block_counts[];
  const std::int32_t first = static_cast<std::int32_t>(blockIdx.y) * size;
  const std::int32_t here = min(size, total - first);
  for (std::int32_t bin = static_cast<std::int32_t>(threadIdx.x); bin < here; bin += table_threads) {
    block_counts[bin] = 0;
  }
  __syncthreads();
  for_each_pixel(pixels, count, [&](float pixel) {
    const std::int32_t bin = bin_of(bins, pixel) - first;
    if (pixel == pixel && bin >= 0 && bin < here) atomicAdd(block_counts + bin, 1u);
  });
  __syncthreads();
  for (std::int32_t bin = static_cast<std::int32_t>(threadIdx.x); bin < here; bin += table_threads) {
    if (block_counts[bin] > 0) atomicAdd(counts + first + bin, block_counts[bin]);
  }
}

/// Computes the grey of each bin so that the histogram is equalised, in a single block. Each thread handles the same
/// number of consecutive bins.
__global__ void __launch_bounds__(table_threads)
    equalize_kernel(const std::uint32_t* counts, std::int32_t bins, std::uint8_t* table) {
  using Scan = cub::BlockScan<std::uint64_t, table_threads>;
  __shared__ Scan::TempStorage memory;
  const std::int32_t bins_per_thread = (bins + table_threads - 1) / table_threads;
  const std::int32_t begin = min(bins, static_cast<std::int32_t>(threadIdx.x) * bins_per_thread);
  const std::int32_t end = min(bins, begin + bins_per_thread);
  std::uint64_t sum = 0;
  for (std::int32_t bin = begin; bin < end; ++bin) sum += counts[bin];
  std::uint64_t before = 0;
  std::uint64_t total = 0;
  Scan(memory).ExclusiveSum(sum, before, total);
  for (std::int32_t bin = begin; bin < end; ++bin) {
    table[bin] = equalized_grey(before, counts[bin], total);
    before += counts[bin];
  }
}

__device__ std::uint8_t grey_of(const GreyBins& bins, const std::uint8_t* table, float pixel) {
  return pixel == pixel ? table[bin_of(bins, pixel)] : 0;
}

__global__ void __launch_bounds__(table_threads, table_blocks)
    draw_grey_kernel(const float* pixels, std::int64_t count, GreyBins bins, const std::uint8_t* table,
                     std::int32_t size, std::uint8_t* drawn) {
  extern __shared__ std::uint8_t block_table[];
  for (auto i = static_cast<std::int32_t>(threadIdx.x); i < size; i += table_threads) block_table[i] = table[i];
  __syncthreads();
  const auto* quads = reinterpret_cast<const float4*>(pixels);
  auto* drawn_quads = reinterpret_cast<uchar4*>(drawn);
  const std::int64_t quad_count = count / 4;
#pragma unroll 4
  for (std::int64_t i = thread_index(); i < quad_count; i += thread_total()) {
    const float4 quad = quads[i];
    drawn_quads[i] = {grey_of(bins, block_table, quad.x), grey_of(bins, block_table, quad.y),
                      grey_of(bins, block_table, quad.z), grey_of(bins, block_table, quad.w)};
  }
  for (std::int64_t i = 4 * quad_count + thread_index(); i < count; i += thread_total()) {
    drawn[i] = grey_of(bins, block_table, pixels[i]);
  }
}

KeyExtremes find_extremes(const Image<float, Gpu>& image, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  const unsigned int blocks = grid_for(count / 4, where);
  Buffer<KeyExtremes, Gpu> of_blocks(blocks, where);
  find_extremes_kernel<<<blocks, block_threads, 0, where.stream>>>(image.pixels.data(), count, of_blocks.data());
  check_launch();
  KeyExtremes all;
  for (const KeyExtremes& found : to_host(of_blocks, where)) all.add(found);
  return all;
}

std::vector<float> draw_sample(const Image<float, Gpu>& image, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  const std::int64_t chunks = (count + chunk_pixels - 1) / chunk_pixels;
  Buffer<std::uint32_t, Gpu> unmasked(chunks, where);
  count_unmasked_kernel<<<blocks_for(32 * chunks), block_threads, 0, where.stream>>>(image.pixels.data(), count,
                                                                                     unmasked.data(), chunks);
  check_launch();
  const Buffer<std::uint32_t, Cpu> on_host = to_host(unmasked, where);
  const std::vector<SamplePlace> places = place_sample({on_host.begin(), on_host.end()});
  const std::int64_t size = std::ssize(places);
  if (size == 0) return {};
  const Buffer<SamplePlace, Gpu> on_device = to_device(std::span(places), where);
  Buffer<float, Gpu> sample(size, where);
  draw_sample_kernel<<<blocks_for(32 * size), block_threads, 0, where.stream>>>(image.pixels.data(), count,
                                                                                on_device.data(), size, sample.data());
  check_launch();
  return to_vector(sample.data(), size, where);
}

}  // namespace

DisplayRange display_range(const Image<float, Gpu>& image, const QuicklookConfig& config, const Gpu& where) {
  if (config.limits == Limits::values) return range_between(config.low, config.high);
  if (config.limits == Limits::minmax) return range_of(find_extremes(image, where));
  return zscale(draw_sample(image, where));
}

Buffer<std::uint32_t, Gpu> count_bins(const Image<float, Gpu>& image, const DisplayRange& range, std::int64_t bins,
                                      const Gpu& where) {
  Buffer<std::uint32_t, Gpu> counts = filled<std::uint32_t>(bins, 0, where);
  const std::int64_t size = std::min(bins, bins_at_a_time);
  const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(std::uint32_t);
  const std::int64_t count = image.shape.count();
  const dim3 grid(table_grid(count, where), static_cast<unsigned int>((bins + size - 1) / size));
  allow_large_tables(count_bins_kernel);
  count_bins_kernel<<<grid, table_threads, bytes, where.stream>>>(image.pixels.data(), count, divide(range, bins),
                                                                  static_cast<std::int32_t>(size),
                                                                  static_cast<std::int32_t>(bins), counts.data());
  check_launch();
  return counts;
}

Buffer<std::uint8_t, Gpu> grey_table(Stretch stretch, std::int64_t bins, const Buffer<std::uint32_t, Gpu>& counts,
                                     const Gpu& where) {
  if (stretch != Stretch::equalize) {
    const Buffer<std::uint32_t, Cpu> no_counts;
    return to_device(grey_table(stretch, bins, no_counts, Cpu{where.host_threads}), where);
  }
  Buffer<std::uint8_t, Gpu> table(bins, where);
  equalize_kernel<<<1, table_threads, 0, where.stream>>>(counts.data(), static_cast<std::int32_t>(bins), table.data());
  check_launch();
  return table;
}

Image<std::uint8_t, Gpu> draw_grey(const Image<float, Gpu>& image, const DisplayRange& range,
                                   const Buffer<std::uint8_t, Gpu>& table, const Gpu& where) {
  Image<std::uint8_t, Gpu> result(image.shape, where);
  const auto bytes = static_cast<std::size_t>(table.size());
  const std::int64_t count = image.shape.count();
  allow_large_tables(draw_grey_kernel);
  draw_grey_kernel<<<table_grid(count, where), table_threads, bytes, where.stream>>>(
      image.pixels.data(), count, divide(range, table.size()), table.data(), static_cast<std::int32_t>(table.size()),
      result.pixels.data());
  check_launch();
  return result;
}

Picture render_picture(const Image<float, Gpu>& image, const QuicklookConfig& config, const Gpu& where) {
  return render_picture_with(image, config, where, [&](const Image<std::uint8_t, Gpu>& drawn) {
    Image<std::uint8_t, Cpu> fetched;
    fetched.shape = drawn.shape;
    fetched.pixels = to_host(drawn.pixels, where);
    return fetched;
  });
}

}  // namespace srcextract
