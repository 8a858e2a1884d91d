#pragma once

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "stages/ingest/decode.hpp"

namespace srcextract {

/// Adds what the threads of a warp counted. All of them call it.
__device__ inline void add_over_warp(std::int64_t& to, std::int64_t amount) {
  amount = sum_of_warp(amount);
  if (!first_lane() || amount == 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(amount));
}

/// Decodes every `step`-th of the stored pixels from `first` on, and adds to `masked` what is masked. All threads of a
/// warp call it.
template <class Stored>
__device__ void decode_pixels(const typename Stored::Bits* stored, std::int64_t count, const Decoder& decoder,
                              std::int64_t first, std::int64_t step, float* out, MaskCounts& masked) {
  MaskCounts counts;
  for (std::int64_t i = first; i < count; i += step) out[i] = decode_pixel<Stored>(stored[i], decoder, counts);
  add_over_warp(masked.nan, counts.nan);
  add_over_warp(masked.infinite, counts.infinite);
  add_over_warp(masked.blank, counts.blank);
}

}  // namespace srcextract
