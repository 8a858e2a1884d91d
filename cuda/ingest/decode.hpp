#pragma once

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "stages/ingest/decode.hpp"

namespace srcextract {

/// Adds `amount` of all threads of a warp to `to`, by one atomic operation. All lanes of the warp must call this
/// function together.
__device__ inline void add_over_warp(std::int64_t& to, std::int64_t amount) {
  amount = sum_of_warp(amount);
  if (!first_lane() || amount == 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(amount));
}

/// Adds the counts of masked pixels of all threads of a warp to `to`. All lanes of the warp must call this function
/// together.
__device__ inline void add_over_warp(MaskCounts& to, const MaskCounts& counts) {
  add_over_warp(to.nan, counts.nan);
  add_over_warp(to.infinite, counts.infinite);
  add_over_warp(to.blank, counts.blank);
}

/// Decodes stored[0] to stored[count - 1] (pixels as in the file) to floats in `out`, and adds the numbers of masked
/// pixels to `masked`. `out` may be the same memory as the stored pixels if both have elements of the same size.
template <class Stored, class Source>
__global__ void decode_kernel(Source stored, std::int64_t count, Decoder decoder, float* out, MaskCounts* masked) {
  MaskCounts counts;
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    out[i] = decode_pixel<Stored>(stored[i], decoder, counts);
  add_over_warp(*masked, counts);
}

}  // namespace srcextract
