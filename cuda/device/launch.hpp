#pragma once

#include <algorithm>

#include "cuda/device/memory.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

inline constexpr int block_threads = 256;

/// Number of blocks of block_threads threads that a multiprocessor runs at the same time, unless registers run short:
/// 2048 threads, the limit of the hardware with compute capability 8.0 and 9.0.
inline constexpr int blocks_per_multiprocessor = 8;

/// Returns the number of blocks so that each item has a thread. At least 1, since CUDA rejects a launch of 0 blocks.
inline unsigned int blocks_for(std::int64_t items) {
  return static_cast<unsigned int>(std::max<std::int64_t>(1, (items + block_threads - 1) / block_threads));
}

/// As blocks_for(), but at most as many blocks as the device runs at the same time. For kernels in which each thread
/// loops over several items.
inline unsigned int grid_for(std::int64_t items, const Gpu& where) {
  const std::int64_t resident = std::int64_t{blocks_per_multiprocessor} * where.multiprocessors;
  return blocks_for(std::min(items, resident * block_threads));
}

/// Index of this thread among all threads of a one-dimensional launch.
__device__ inline std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Number of threads of a one-dimensional launch.
__device__ inline std::int64_t thread_total() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

/// The number of items that a kernel processes: a count in device memory, but at most the number that the buffers hold.
struct ItemCount {
  const std::int64_t* count;  ///< in device memory; if null, the number of items is `room`
  std::int64_t room;

  __device__ std::int64_t operator()() const { return count == nullptr || *count > room ? room : *count; }
};

/// Returns the number of runs in a list.
inline ItemCount items_of(const Runs<Gpu>& runs) {
  return {runs.row_begin.data() + runs.shape.height, runs.runs.size()};
}

}  // namespace srcextract
