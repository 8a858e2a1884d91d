#pragma once

#include <functional>

#include "cuda/detect/mask.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// So many blocks that mark a mask are resident on a multiprocessor at once: a thread may hold 32 pixels.
inline constexpr int mark_blocks = 4;

/// What is in the tiles and chunks of a mask.
struct MaskSummary {
  std::uint32_t* matters;        ///< the words of every tile that matter (RunWriter)
  std::uint16_t* begun_in_tile;  ///< how many runs begin
  std::uint32_t* begun_in_chunk;
};

/// Queues a kernel of so many blocks of block_threads threads, each of which calls mark_chunk.
using QueueMarking = std::function<void(unsigned int blocks, const Mask& mask, const MaskSummary& summary)>;

/// The runs of a foreground of that shape, once it is marked; they have room for Gpu::capacity, and nothing waits.
Runs<Gpu> list_runs(const Shape& shape, const QueueMarking& mark, const Gpu& where);

/// Marks a tile; returns how many runs begin in it.
template <class Source>
__device__ int mark_tile(const Source& source, const Mask& mask, const MaskSummary& summary, std::uint32_t tile) {
  const auto before = source.load_before(mask, tile);
  const std::uint32_t word = source.mark_word(mask, tile);
  const std::uint32_t index = tile * tile_words + lane();
  mask.words[index] = word;

  std::uint32_t joined = __shfl_up_sync(all_lanes, word, 1) >> 31;
  if (lane() == 0) joined = source.is_foreground(before) ? 1 : 0;
  const bool starts_row = mask.place(index).column == 0;
  const unsigned int matters = __ballot_sync(all_lanes, (word | joined) != 0 || starts_row);
  const int begun = sum_of_warp(__popc(word & ~(word << 1 | (starts_row ? 0 : joined))));
  if (lane() == 0) {
    summary.matters[tile] = matters;
    summary.begun_in_tile[tile] = static_cast<std::uint16_t>(begun);
  }
  return begun;
}

/// How many runs begin in the block's chunk: every thread makes one before its warp marks any of it.
class BegunInChunk {
 public:
  __device__ BegunInChunk() {
    if (threadIdx.x == 0) count() = 0;
    __syncthreads();
  }

  /// Tells it when the warps have marked all: each has so many.
  __device__ void tell(std::uint32_t begun, const MaskSummary& summary) const {
    if (lane() == 0) atomicAdd(&count(), begun);
    __syncthreads();
    if (threadIdx.x == 0) summary.begun_in_chunk[blockIdx.x] = count();
  }

 private:
  __device__ static std::uint32_t& count() {
    __shared__ std::uint32_t of_block;
    return of_block;
  }
};

/// Marks the block's chunk of a mask. The source has, for a tile, the pixel before it (load_before), which is
/// foreground or not (is_foreground), and the lane's word (mark_word); all lanes of a warp call them. What is not in
/// the image is not foreground.
template <class Source>
__device__ void mark_chunk(const Source& source, const Mask& mask, const MaskSummary& summary) {
  const BegunInChunk all;
  const Tiles chunk = mask.chunk(blockIdx.x);
  std::uint32_t begun = 0;
  for (std::uint32_t tile = chunk.begin + threadIdx.x / 32; tile < chunk.end; tile += block_threads / 32) {
    begun += mark_tile(source, mask, summary, tile);
  }
  all.tell(begun, summary);
}

}  // namespace srcextract
