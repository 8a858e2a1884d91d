#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "cuda/launch.hpp"

namespace srcextract {

/// Neighbouring items that a thread of the scan takes at a time, and those of its block.
inline constexpr int scan_thread_items = 4;
inline constexpr int scan_block_items = scan_thread_items * block_threads;

/// The items of one block of a launch: neighbours, the same for both kernels of a scan.
struct ScanChunk {
  __device__ explicit ScanChunk(std::int64_t items) {
    const std::int64_t tiles = (items + scan_block_items - 1) / scan_block_items;
    const std::int64_t chunk = (tiles + gridDim.x - 1) / gridDim.x * scan_block_items;
    begin = min(items, blockIdx.x * chunk);
    end = min(items, begin + chunk);
  }
  std::int64_t begin, end;
};

template <class T, class In>
__global__ void sum_chunks_kernel(ItemCount items, In in, T* sums) {
  using Reduce = cub::BlockReduce<T, block_threads>;
  __shared__ typename Reduce::TempStorage shared;
  const ScanChunk chunk(items());
  T sum{};
  for (std::int64_t i = chunk.begin + threadIdx.x; i < chunk.end; i += block_threads) sum = sum + in(i);
  sum = Reduce(shared).Sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <class T, class In, class Out>
__global__ void scan_chunks_kernel(ItemCount items, In in, const T* sums, Out out, T* total) {
  using Scan = cub::BlockScan<T, block_threads>;
  __shared__ typename Scan::TempStorage shared;
  const ScanChunk chunk(items());

  T part{};
  for (unsigned int block = threadIdx.x; block < blockIdx.x; block += block_threads) part = part + sums[block];
  T unused, before;  // `before`: the sum of all items before this tile
  Scan(shared).ExclusiveSum(part, unused, before);

  for (std::int64_t tile = chunk.begin; tile < chunk.end; tile += scan_block_items) {
    const std::int64_t first = tile + threadIdx.x * scan_thread_items;
    T values[scan_thread_items];
    T sum{};
    for (int k = 0; k < scan_thread_items; ++k) {
      values[k] = first + k < chunk.end ? in(first + k) : T{};
      sum = sum + values[k];
    }
    T offset, tile_sum;
    __syncthreads();  // `shared` is used again
    Scan(shared).ExclusiveSum(sum, offset, tile_sum);
    offset = before + offset;
    for (int k = 0; k < scan_thread_items && first + k < chunk.end; ++k) {
      out(first + k, offset);
      offset = offset + values[k];
    }
    before = before + tile_sum;
  }
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *total = before;
}

/// Exclusive prefix sums over items that the host need not know the number of: calls out(i, in(0) + ... + in(i - 1))
/// for every item and writes the sum of all to `total`. `in` is called twice for an item; `out` must not change what it
/// returns. T{} is zero and T + T is exact in any order.
template <class T, class In, class Out>
void exclusive_scan(const ItemCount& items, const In& in, const Out& out, T* total, const Gpu& where) {
  const unsigned int blocks = grid_for((items.room + scan_thread_items - 1) / scan_thread_items, where);
  Buffer<T, Gpu> sums(blocks, where);
  sum_chunks_kernel<<<blocks, block_threads, 0, where.stream>>>(items, in, sums.data());
  check_launch();
  scan_chunks_kernel<<<blocks, block_threads, 0, where.stream>>>(items, in, sums.data(), out, total);
  check_launch();
}

}  // namespace srcextract
