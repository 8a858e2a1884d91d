#include "tests/bench/stages/library_kernels.hpp"

#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include <cub/block/block_radix_sort.cuh>
#include <limits>

#include "cuda/device/check.hpp"
#include "cuda/sky/sky_sample.hpp"

namespace srcextract::bench {

namespace {

struct Negated {
  __device__ float operator()(float x) const { return x == x ? -x : std::numeric_limits<float>::quiet_NaN(); }
};

struct Weighed {
  float level;
  __device__ float operator()(float x, float variance) const {
    const float weighed = level + (x - level) / static_cast<float>(sqrt(static_cast<double>(variance)));
    return isfinite(weighed) ? weighed : std::numeric_limits<float>::quiet_NaN();
  }
};

/// Each block a chunk.
template <int Threads, int Each>
__global__ void __launch_bounds__(Threads) sort_kernel(const float* pixels, std::int64_t step, float* sorted) {
  using Sort = cub::BlockRadixSort<float, Threads, Each>;
  __shared__ typename Sort::TempStorage memory;
  const std::int64_t first = (static_cast<std::int64_t>(blockIdx.x) * Threads + threadIdx.x) * Each;
  float keys[Each];
  for (int k = 0; k < Each; ++k) keys[k] = pixels[(first + k) * step];
  Sort(memory).Sort(keys);
  for (int k = 0; k < Each; ++k) sorted[first + k] = keys[k];
}

}  // namespace

void thrust_negate(float* pixels, std::int64_t count, CUstream_st* stream) {
  thrust::transform(thrust::cuda::par_nosync.on(stream), pixels, pixels + count, pixels, Negated{});
}

void thrust_weigh(const float* pixels, const float* noise, std::int64_t count, float level, float* out,
                  CUstream_st* stream) {
  thrust::transform(thrust::cuda::par_nosync.on(stream), pixels, pixels + count, noise, out, Weighed{level});
}

void draw_sample(const Image<float, Gpu>& image, const Gpu& where) {
  SkySample(image.shape.count(), where).draw(image.pixels.data(), {}, where);
}

void cub_sort_sample(const float* pixels, std::int64_t count, int samples, float* sorted, CUstream_st* stream) {
  const std::int64_t step = count / samples;
  constexpr int threads = 512;
  if (samples == 4096) sort_kernel<threads, 8><<<1, threads, 0, stream>>>(pixels, step, sorted);
  if (samples == 8192) sort_kernel<threads, 16><<<1, threads, 0, stream>>>(pixels, step, sorted);
  check(cudaGetLastError());
}

void cub_sort_chunks(const float* pixels, std::int64_t count, int samples, float* sorted, CUstream_st* stream) {
  constexpr int chunk = 256;
  sort_kernel<chunk, 1><<<samples / chunk, chunk, 0, stream>>>(pixels, count / samples, sorted);
  check(cudaGetLastError());
}

}  // namespace srcextract::bench
