#include "tests/bench/stages/read_image.hpp"

#include "cuda/device/check.hpp"

namespace srcextract::bench {

namespace {

constexpr int block_threads = 256;
constexpr int blocks_per_multiprocessor = 8;
constexpr int loads_in_flight = 4;

__global__ void __launch_bounds__(block_threads, blocks_per_multiprocessor)
    read_kernel(const uint4* words, std::int64_t count, std::uint32_t* sum) {
  const std::int64_t total = static_cast<std::int64_t>(gridDim.x) * block_threads;
  std::uint32_t mine = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * block_threads + threadIdx.x; i < count;
       i += total * loads_in_flight) {
    uint4 loaded[loads_in_flight];
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k)
      loaded[k] = i + k * total < count ? __ldcs(words + i + k * total) : make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int k = 0; k < loads_in_flight; ++k) mine += loaded[k].x ^ loaded[k].y ^ loaded[k].z ^ loaded[k].w;
  }
  if (mine == 0x9E3779B9U) *sum = mine;  // hardly ever: what counts is that the compiler must load
}

}  // namespace

void queue_read(const std::uint32_t* words, std::int64_t count, std::uint32_t* sum, int multiprocessors,
                CUstream_st* stream) {
  read_kernel<<<multiprocessors * blocks_per_multiprocessor, block_threads, 0, stream>>>(
      reinterpret_cast<const uint4*>(words), count / 4, sum);
  check(cudaGetLastError());
}

}  // namespace srcextract::bench
