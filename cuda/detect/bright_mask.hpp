#pragma once

#include <limits>

#include "cuda/detect/mask_runs.hpp"

namespace srcextract {

/// Value that stands for pixels outside the image: NaN, which is not above any level.
inline constexpr float outside = std::numeric_limits<float>::quiet_NaN();

/// Marks the pixels above a level in a bit mask. Reads only quads (four consecutive pixels) that BrightQuads lists as
/// bright; no other quad may contain a pixel above the level. The width of the image must be a multiple of four.
class BrightPixelsAbove {
 public:
  __device__ BrightPixelsAbove(const float* pixels, const std::uint32_t* quads, float level)
      : pixels_(pixels), quads_(quads), level_(level) {}

  /// Marks the pixels of the block's chunk of the mask, as the function mark_chunk() does for other sources. A warp
  /// handles tiles_together tiles (of 32 mask words) at a time.
  __device__ void mark_chunk(const Mask& mask, const MaskSummary& summary) const {
    constexpr std::uint32_t step = block_threads / 32 * tiles_together;
    const BegunInChunk all;
    const Tiles chunk = mask.chunk(blockIdx.x);
    std::uint32_t tile = chunk.begin + threadIdx.x / 32 * tiles_together;
    std::uint32_t begun = 0;
    std::uint32_t next = look_up(mask, tile, chunk.end);
    for (; tile < chunk.end; tile += step) {
      const std::uint32_t quads = next;
      next = look_up(mask, tile + step, chunk.end);  // loads the next quads while the pixels of these quads are read
      begun += mark_tiles(mask, summary, tile, chunk.end, quads);
    }
    all.tell(begun, summary);
  }

  /// Returns the bright quads in this lane's words of tiles_together tiles from `tile` on, as eight bits per word; 0
  /// for tiles from `end` on.
  __device__ std::uint32_t look_up(const Mask& mask, std::uint32_t tile, std::uint32_t end) const {
    if (tile + lane_tile() >= end) return 0;
    const std::uint32_t first = first_word(tile);
    if (mask.width % 32 == 0) {  // the bits of consecutive words are consecutive in quads_
      return mask.place(first).row < mask.height ? __ldg(quads_ + first / lane_words) : 0;
    }
    std::uint32_t found = 0;
#pragma unroll
    for (int k = 0; k < lane_words; ++k) found |= look_up(mask, mask.place(first + k)) << 8 * k;
    return found;
  }

  /// Marks the pixels of tiles_together tiles from `tile` on. Returns the number of runs (consecutive pixels above the
  /// level in a row) that begin in these tiles.
  __device__ int mark_tiles(const Mask& mask, const MaskSummary& summary, std::uint32_t tile, std::uint32_t end,
                            std::uint32_t quads) const {
    const bool any_before = lane() == 0 && is_foreground_before(mask, tile);
    std::uint32_t words[lane_words] = {};
    const std::uint32_t first = first_word(tile);
    mark_words(mask, first, quads, words);
    __syncwarp();

    std::uint32_t joined = __shfl_up_sync(all_lanes, words[lane_words - 1], 1) >> 31;
    if (lane() == 0) joined = any_before ? 1 : 0;
    unsigned int matters = 0;
    int begun = 0;
#pragma unroll
    for (int k = 0; k < lane_words; ++k) {
      const bool starts_row = mask.place(first + k).column == 0;
      if ((words[k] | joined) != 0 || starts_row) matters |= 1u << k;
      begun += __popc(words[k] & ~(words[k] << 1 | (starts_row ? 0 : joined)));
      joined = words[k] >> 31;
    }
    matters <<= lane() % lanes_per_tile * lane_words;
#pragma unroll
    for (int reach = 1; reach < lanes_per_tile; reach *= 2) {
      matters |= __shfl_xor_sync(all_lanes, matters, reach);
      begun += __shfl_xor_sync(all_lanes, begun, reach);
    }
    const std::uint32_t own = tile + lane_tile();
    if (own < end) {
      *reinterpret_cast<uint4*>(mask.words + first) = {words[0], words[1], words[2], words[3]};
      if (lane() % lanes_per_tile == 0) {
        summary.matters[own] = matters;
        summary.begun_in_tile[own] = static_cast<std::uint16_t>(begun);
      }
    }
#pragma unroll
    for (int reach = lanes_per_tile; reach < warp_size; reach *= 2) begun += __shfl_xor_sync(all_lanes, begun, reach);
    return begun;  // tiles from `end` on add 0
  }

 private:
  /// Number of consecutive mask words that a lane handles. These words have 32 quads, whose bits fill one 32-bit word.
  static constexpr int lane_words = 4;
  static constexpr int lanes_per_tile = static_cast<int>(tile_words) / lane_words;
  static constexpr std::uint32_t tiles_together = warp_size / lanes_per_tile;

  __device__ static std::uint32_t lane_tile() {
    return static_cast<std::uint32_t>(lane() / lanes_per_tile);
  }
  __device__ static std::uint32_t first_word(std::uint32_t tile) {
    return tile * tile_words + static_cast<std::uint32_t>(lane() * lane_words);
  }

  /// Returns the bright quads of one mask word, one bit per quad.
  __device__ std::uint32_t look_up(const Mask& mask, const WordPlace& place) const {
    if (place.row >= mask.height) return 0;
    const std::int64_t x = std::int64_t{place.column} * 32;
    const auto inside = static_cast<int>(min(std::int64_t{8}, (mask.width - x) / 4));
    const std::int64_t quad = (place.row * mask.width + x) / 4;
    const std::uint32_t* const from = quads_ + quad / 32;
    const auto bit = static_cast<int>(quad % 32);
    const std::uint32_t low = __ldg(from);
    const std::uint32_t high = bit + inside > 32 ? __ldg(from + 1) : 0;
    return __funnelshift_r(low, high, bit) & ((1u << inside) - 1);
  }

  __device__ bool is_foreground_before(const Mask& mask, std::uint32_t tile) const {
    const WordPlace place = mask.place(tile * tile_words);
    if (place.column == 0 || place.row >= mask.height) return false;
    return __ldg(pixels_ + place.row * mask.width + std::int64_t{place.column} * 32 - 1) > level_;
  }

  /// Sets the bits of pixels above the level in those quads of the lane's words that `quads` marks. Loads several quads
  /// before the first comparison, so that the latencies overlap.
  __device__ void mark_words(const Mask& mask, std::uint32_t first, std::uint32_t quads,
                             std::uint32_t (&words)[lane_words]) const {
    constexpr int at_once = 4;
    while (quads != 0) {
      int number[at_once];  // -1 if no quad is left
      float4 quad[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        number[i] = __ffs(static_cast<int>(quads)) - 1;
        quads &= quads - 1;
        quad[i] = number[i] < 0 ? float4{outside, outside, outside, outside} : load(mask, first, number[i]);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const std::uint32_t above = (quad[i].x > level_ ? 1u : 0u) | (quad[i].y > level_ ? 2u : 0u) |
                                    (quad[i].z > level_ ? 4u : 0u) | (quad[i].w > level_ ? 8u : 0u);
        const std::uint32_t bits = above << 4 * (number[i] & 7);
#pragma unroll
        for (int k = 0; k < lane_words; ++k) words[k] |= number[i] / 8 == k ? bits : 0;
      }
    }
  }

  __device__ float4 load(const Mask& mask, std::uint32_t first, int number) const {
    const WordPlace place = mask.place(first + static_cast<std::uint32_t>(number / 8));
    const std::int64_t at = place.row * mask.width + std::int64_t{place.column} * 32 + 4 * (number % 8);
    // Streaming loads, since each pixel is read once: the cache should rather hold the mask.
    return __ldcs(reinterpret_cast<const float4*>(pixels_ + at));
  }

  const float* pixels_;
  const std::uint32_t* quads_;
  float level_;
};

}  // namespace srcextract
