#include "stages/background.hpp"

#include <cmath>

#include "cuda/launch.hpp"
#include "stages/clip.hpp"

namespace srcextract {

namespace {

/// Each thread of a tile's block is `lanes_per_thread` neighbouring lanes of it: one 16-byte load a row of lanes.
constexpr int lanes_per_thread = 4;
constexpr int tile_threads = tile_lanes / lanes_per_thread;

struct ThreadSums {
  double sum[lanes_per_thread] = {};
  double square[lanes_per_thread] = {};
  IntervalSums counts;  // its sums are not used
};

__device__ float4 load_pixels(const float* pixels, std::int64_t first, std::int64_t count) {
  if (first + lanes_per_thread <= count) return *reinterpret_cast<const float4*>(pixels + first);
  const float masked = std::numeric_limits<float>::quiet_NaN();
  return {first < count ? pixels[first] : masked, first + 1 < count ? pixels[first + 1] : masked,
          first + 2 < count ? pixels[first + 2] : masked, masked};
}

__device__ void add_pixel(ThreadSums& sums, int lane, float pixel, const Interval& interval) {
  const bool inside = pixel > interval.lower && pixel < interval.upper;
  const double deviation = inside ? static_cast<double>(pixel) - interval.centre : 0.0;
  sums.sum[lane] += deviation;
  sums.square[lane] += deviation * deviation;
  sums.counts.count += inside;
  sums.counts.below += pixel <= interval.lower;
  if (inside) {
    const std::int32_t key = signed_key(pixel);
    sums.counts.min_key = min(sums.counts.min_key, key);
    sums.counts.max_key = max(sums.counts.max_key, key);
  }
}

/// Adds elements pairwise, element i += element i + stride for stride = Count / 2 ... 1, by as many threads; the sum
/// is element 0. Every thread of the block calls it.
template <int Count, class T, class Add>
__device__ void tree_sum(T* elements, Add add_to) {
  __syncthreads();
  for (int stride = Count / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) add_to(elements[threadIdx.x], elements[threadIdx.x + stride]);
    __syncthreads();
  }
}

/// One block a tile (stages/fixed_sum.hpp). The tree over lanes is the tree over threads, component by component, then
/// over the components.
__global__ void sum_tiles_kernel(const float* pixels, std::int64_t count, Interval interval, IntervalSums* tiles) {
  const std::int64_t tile_begin = static_cast<std::int64_t>(blockIdx.x) * tile_pixels;
  ThreadSums sums;
  for (int row = 0; row < tile_pixels / tile_lanes; ++row) {
    const std::int64_t first = tile_begin + row * tile_lanes + threadIdx.x * lanes_per_thread;
    const float4 x = load_pixels(pixels, first, count);
    add_pixel(sums, 0, x.x, interval);
    add_pixel(sums, 1, x.y, interval);
    add_pixel(sums, 2, x.z, interval);
    add_pixel(sums, 3, x.w, interval);
  }
  __shared__ ThreadSums shared[tile_threads];
  shared[threadIdx.x] = sums;
  tree_sum<tile_threads>(shared, [](ThreadSums& to, const ThreadSums& from) {
    for (int lane = 0; lane < lanes_per_thread; ++lane) {
      to.sum[lane] += from.sum[lane];
      to.square[lane] += from.square[lane];
    }
    add(to.counts, from.counts);
  });
  if (threadIdx.x != 0) return;
  const ThreadSums& t = shared[0];
  IntervalSums total = t.counts;
  total.sum = (t.sum[0] + t.sum[2]) + (t.sum[1] + t.sum[3]);
  total.square = (t.square[0] + t.square[2]) + (t.square[1] + t.square[3]);
  tiles[blockIdx.x] = total;
}

/// One block for all tiles: thread c is column c.
__global__ void sum_columns_kernel(const IntervalSums* tiles, std::int64_t count, IntervalSums* total) {
  __shared__ IntervalSums columns[sum_columns];
  IntervalSums column;
  for (std::int64_t tile = threadIdx.x; tile < count; tile += sum_columns) add(column, tiles[tile]);
  columns[threadIdx.x] = column;
  tree_sum<sum_columns>(columns, [](IntervalSums& to, const IntervalSums& from) { add(to, from); });
  if (threadIdx.x == 0) *total = columns[0];
}

IntervalSums sum_interval(const Image<float, Gpu>& image, const Interval& interval, Buffer<IntervalSums, Gpu>& tiles,
                          const Gpu& where) {
  const std::int64_t count = image.shape.count();
  const std::int64_t tile_total = tiles.size() - 1;  // the last element takes the sum of all
  IntervalSums* total = tiles.data() + tile_total;
  sum_tiles_kernel<<<static_cast<unsigned int>(tile_total), tile_threads, 0, where.stream>>>(image.pixels.data(), count,
                                                                                             interval, tiles.data());
  check_launch();
  sum_columns_kernel<<<1, sum_columns, 0, where.stream>>>(tiles.data(), tile_total, total);
  check_launch();
  return read_element(tiles, tile_total, where);
}

/// Tables that the lanes of a warp take in turn, so that neighbouring pixels of equal value do not all wait for one
/// counter.
constexpr int bin_tables = 4;

__global__ void count_bins_kernel(const float* pixels, std::int64_t count, KeyWindow window,
                                  unsigned long long* counts) {
  __shared__ unsigned int tables[KeyWindow::bin_count * bin_tables];
  for (int i = threadIdx.x; i < KeyWindow::bin_count * bin_tables; i += blockDim.x) tables[i] = 0;
  __syncthreads();
  for (std::int64_t i = thread_index(); i < count; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    const float pixel = pixels[i];
    const std::uint32_t bin = window.bin(ordered_key(pixel));
    if (bin < KeyWindow::bin_count && pixel == pixel)
      atomicAdd(&tables[bin * bin_tables + threadIdx.x % bin_tables], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < KeyWindow::bin_count; bin += blockDim.x) {
    unsigned long long sum = 0;
    for (int table = 0; table < bin_tables; ++table) sum += tables[bin * bin_tables + table];
    if (sum != 0) atomicAdd(&counts[bin], sum);
  }
}

std::vector<std::int64_t> count_bins(const Image<float, Gpu>& image, const KeyWindow& window, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  auto bins = filled<unsigned long long>(KeyWindow::bin_count, 0, where);
  count_bins_kernel<<<std::min(blocks_for(count), 1024u), block_threads, 0, where.stream>>>(image.pixels.data(), count,
                                                                                            window, bins.data());
  check_launch();
  std::vector<unsigned long long> counts(KeyWindow::bin_count);
  copy_to_host(counts.data(), bins.data(), bins.size(), where);
  return {counts.begin(), counts.end()};
}

}  // namespace

Background estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where) {
  Buffer<IntervalSums, Gpu> tiles(tile_count(image.shape.count()) + 1, where);
  return clip(config, {[&](const Interval& interval) { return sum_interval(image, interval, tiles, where); },
                       [&](const KeyWindow& window) { return count_bins(image, window, where); }});
}

}  // namespace srcextract
