#pragma once

#include "cuda/clip_memory.hpp"

namespace srcextract {

inline constexpr int sort_threads = 256;
inline constexpr int sort_chunk = 2048;

/// The rank of every pixel of the sample: how many of it are smaller, or equal and before it. Block (i, j) counts for
/// 256 pixels those of a chunk of 2048. NaN has the largest key. `rank` is 0 before.
__global__ void rank_sample_kernel(const float* pixels, std::int64_t count, int samples, float* sample,
                                   unsigned int* rank) {
  __shared__ std::int32_t chunk[sort_chunk];
  const int chunk_begin = static_cast<int>(blockIdx.y) * sort_chunk;
  const int chunk_end = min(chunk_begin + sort_chunk, samples);
  for (int j = chunk_begin + static_cast<int>(threadIdx.x); j < chunk_end; j += sort_threads) {
    chunk[j - chunk_begin] = signed_key(pixels[sample_position(j, samples, count)]);
  }
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x) * sort_threads + static_cast<int>(threadIdx.x);
  if (i >= samples) return;
  const float pixel = pixels[sample_position(i, samples, count)];
  const std::int32_t key = signed_key(pixel);
  unsigned int before = 0;
  if (i >= chunk_begin && i < chunk_end) {
    for (int j = chunk_begin; j < chunk_end; ++j) {
      before += chunk[j - chunk_begin] < key || (chunk[j - chunk_begin] == key && j < i) ? 1 : 0;
    }
  } else {
    const std::int32_t limit = i >= chunk_end ? key + 1 : key;
    for (int j = chunk_begin; j < chunk_end; ++j) before += chunk[j - chunk_begin] < limit ? 1 : 0;
  }
  if (before != 0) atomicAdd(&rank[i], before);
  if (blockIdx.y == 0) sample[i] = pixel;
}

inline constexpr int guess_threads = 1024;

/// The guess is made from this many pixels of the sample: their running sums fit into shared memory.
inline constexpr int guess_samples = 2048;

/// Running sums over the block in place, from element 1 on, two a thread.
__device__ inline void scan_samples(double* sums) {
  for (int reach = 1; reach < guess_samples; reach *= 2) {
    double added[2];
    for (int part = 0; part < 2; ++part) {
      const int i = 1 + static_cast<int>(threadIdx.x) + part * guess_threads;
      added[part] = i > reach ? sums[i - reach] : 0;
    }
    __syncthreads();
    for (int part = 0; part < 2; ++part) sums[1 + threadIdx.x + part * guess_threads] += added[part];
    __syncthreads();
  }
}

/// One block: sorts the sample by its ranks, lays the grid, guesses the clip, and makes the state ready for it.
__global__ void guess_kernel(const float* sample, const unsigned int* rank, int samples, double kappa,
                             std::int64_t max_iterations, float* sorted, ClipState* state) {
  __shared__ int unmasked;
  __shared__ int zeros;
  __shared__ float part[guess_samples];
  __shared__ double sums[guess_samples + 1];
  __shared__ double squares[guess_samples + 1];
  if (threadIdx.x == 0) unmasked = zeros = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < samples; i += guess_threads) {
    const float pixel = sample[i];
    sorted[rank[i]] = pixel;
    if (pixel == pixel) atomicAdd(&unmasked, 1);
    if (pixel == 0) atomicAdd(&zeros, 1);
  }
  clear_look(*state);
  if (threadIdx.x == 0) {
    state->smallest = ~Count{0};
    state->command = ClipCommand::look;
  }
  __syncthreads();

  const int size = min(unmasked, guess_samples);
  const SumGrid grid = grid_of_sample(sorted, unmasked);
  for (int i = static_cast<int>(threadIdx.x); i < guess_samples; i += guess_threads) {
    const float pixel = i < size ? sorted[(2 * static_cast<std::int64_t>(i) + 1) * unmasked / (2 * size)] : 0;
    const double deviation = i < size ? grid.deviation(pixel) : 0;
    part[i] = pixel;
    sums[i + 1] = deviation;
    squares[i + 1] = deviation * deviation;
  }
  if (threadIdx.x == 0) sums[0] = squares[0] = 0;
  __syncthreads();
  scan_samples(sums);
  scan_samples(squares);
  if (threadIdx.x != 0) return;
  state->grid = grid;
  state->samples = unmasked;
  state->zero_share = unmasked > 0 ? static_cast<double>(zeros) / unmasked : 0;
  state->guess = guess_clip(part, sums, squares, size, rank_margin(max(unmasked, 1)), grid, kappa, max_iterations);
}

}  // namespace srcextract
