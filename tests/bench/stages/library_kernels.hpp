#pragma once

#include <cstdint>

#include "stages/core/image.hpp"

struct CUstream_st;

namespace srcextract::bench {

/// What Thrust and CUB would do in the place of kernels of ours; all of it is queued, on arrays of the device.

void thrust_negate(float* pixels, std::int64_t count, CUstream_st* stream);

/// pixels[i] about the level, divided by the root of noise[i].
void thrust_weigh(const float* pixels, const float* noise, std::int64_t count, float level, float* out,
                  CUstream_st* stream);

/// Ours: the sample drawn and sorted, and the guess that the clip begins with.
void draw_sample(const Image<float, Gpu>& image, const Gpu& where);

/// The 4096 or 8192 pixels of a sample, one in every count / samples, sorted by one block.
void cub_sort_sample(const float* pixels, std::int64_t count, int samples, float* sorted, CUstream_st* stream);

/// The same in chunks of 256, a block each, which are still to be merged.
void cub_sort_chunks(const float* pixels, std::int64_t count, int samples, float* sorted, CUstream_st* stream);

}  // namespace srcextract::bench
