#pragma once

#include <algorithm>

#include "cuda/memory.hpp"

namespace srcextract {

inline constexpr int block_threads = 256;

/// Blocks of block_threads threads, one thread for each of `items`; one for none, since an empty launch is an error.
inline unsigned int blocks_for(std::int64_t items) {
  return static_cast<unsigned int>(std::max<std::int64_t>(1, (items + block_threads - 1) / block_threads));
}

/// Index of this thread among all of a one-dimensional launch.
__device__ inline std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Calls a CUB algorithm, once to ask how much scratch memory it wants and once with it.
template <class Algorithm>
void with_scratch(const Gpu& where, Algorithm&& algorithm) {
  std::size_t bytes = 0;
  check(algorithm(static_cast<void*>(nullptr), bytes));
  Buffer<std::byte, Gpu> scratch(static_cast<std::int64_t>(bytes > 0 ? bytes : 1), where);
  check(algorithm(static_cast<void*>(scratch.data()), bytes));
}

}  // namespace srcextract
