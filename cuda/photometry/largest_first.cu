#include "cuda/photometry/largest_first.hpp"

#include <cmath>

#include "cuda/device/warp.hpp"

namespace srcextract {

namespace {

constexpr int sizes = 64;

/// Returns the size class of a source; 0 is the class of the largest sources. Each factor of two in the longer side of
/// the bounding box is divided into four classes.
__device__ int size_of(const SourceSums& s) {
  const std::int32_t columns = s.xmax - s.xmin + 1, rows = s.ymax - s.ymin + 1;
  const auto side = static_cast<float>(columns > rows ? columns : rows);
  const int size = static_cast<int>(4 * log2f(side));
  return size >= sizes ? 0 : sizes - 1 - size;
}

/// Counts the sources in each size class, with one thread per source.
__global__ void count_sizes_kernel(const SourceSums* sums, ItemCount items, std::uint32_t* counts) {
  __shared__ std::uint32_t own[sizes];
  for (unsigned int i = threadIdx.x; i < sizes; i += blockDim.x) own[i] = 0;
  __syncthreads();
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) atomicAdd(&own[size_of(sums[i])], 1U);
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < sizes; i += blockDim.x)
    if (own[i] > 0) atomicAdd(&counts[i], own[i]);
}

/// Converts the number of sources in each size class to the index at which the class begins in the order; runs in a
/// single warp.
__global__ void begin_sizes_kernel(std::uint32_t* counts) {
  std::uint32_t before = 0;
  for (int i = lane(); i < sizes; i += warp_size) {
    const std::uint32_t own = counts[i], sum = running_sum_of_warp(own);
    counts[i] = before + sum - own;
    before += __shfl_sync(all_lanes, sum, warp_size - 1);
  }
}

/// Lists the sources by size class, with one thread per source. The number of threads is rounded up to whole warps,
/// since Peers needs all lanes.
__global__ void order_by_size_kernel(const SourceSums* sums, ItemCount items, std::uint32_t* next,
                                     std::int32_t* order) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i - lane() < count; i += thread_total()) {
    const bool is_one = i < count;
    const int size = is_one ? size_of(sums[i]) : sizes;
    const std::uint32_t place = Peers(static_cast<std::uint32_t>(size)).count_up(is_one ? next + size : nullptr);
    if (is_one) order[place] = static_cast<std::int32_t>(i);
  }
}

}  // namespace

Buffer<std::int32_t, Gpu> largest_first(const SourceSums* sums, const ItemCount& items, const Gpu& where) {
  Buffer<std::int32_t, Gpu> order(items.room, where);
  if (items.room == 0) return order;
  auto counts = filled<std::uint32_t>(sizes, 0, where);
  const unsigned int grid = grid_for(items.room, where);
  count_sizes_kernel<<<grid, block_threads, 0, where.stream>>>(sums, items, counts.data());
  begin_sizes_kernel<<<1, warp_size, 0, where.stream>>>(counts.data());
  order_by_size_kernel<<<grid, block_threads, 0, where.stream>>>(sums, items, counts.data(), order.data());
  check_launch();
  return order;
}

}  // namespace srcextract
