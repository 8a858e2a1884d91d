#include "cuda/device/running_sums.hpp"

#include <cub/block/block_scan.cuh>

#include "cuda/device/look_back.hpp"

namespace srcextract {

namespace {

/// Number of adjacent counts that a thread handles.
constexpr int thread_counts = 4;
constexpr std::int64_t tile_counts = block_threads * thread_counts;

__global__ void running_sums_kernel(std::uint32_t* counts, ItemCount items, LookBack tiles) {
  using Scan = cub::BlockScan<std::uint32_t, block_threads>;
  __shared__ typename Scan::TempStorage scratch;
  __shared__ std::uint64_t before_tile;
  const std::int64_t count = items();
  if (count == 0 && thread_index() == 0) counts[0] = 0;
  for (std::int64_t tile = tiles.take(); tile * tile_counts < count; tile = tiles.take()) {
    const std::int64_t first = tile * tile_counts + threadIdx.x * thread_counts;
    std::uint32_t own[thread_counts];
    std::uint32_t sum;
    for (int k = 0; k < thread_counts; ++k) own[k] = first + k < count ? counts[first + k] : 0;
    Scan(scratch).ExclusiveSum(own, own, sum);
    if (threadIdx.x < warp_size) {
      const std::uint64_t before = tiles.sum_before(tile, sum);
      if (threadIdx.x == 0) before_tile = before;
    }
    __syncthreads();
    const auto before = static_cast<std::uint32_t>(before_tile);
    for (int k = 0; k < thread_counts; ++k)
      if (first + k < count) counts[first + k] = before + own[k];
    if (threadIdx.x == 0 && (tile + 1) * tile_counts >= count) counts[count] = before + sum;
  }
}

}  // namespace

void make_running_sums(Buffer<std::uint32_t, Gpu>& counts, const ItemCount& items, const Gpu& where) {
  const std::int64_t tile_room = (items.room + tile_counts - 1) / tile_counts;
  auto words = filled<std::uint64_t>(LookBack::words_for(tile_room), 0, where);
  running_sums_kernel<<<grid_for(tile_room * block_threads, where), block_threads, 0, where.stream>>>(
      counts.data(), items, LookBack(words.data()));
  check_launch();
}

}  // namespace srcextract
