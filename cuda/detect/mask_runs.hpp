#pragma once

#include <functional>

#include "cuda/detect/mask.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Number of marking blocks that a multiprocessor runs at once, few enough for a thread to hold 32 pixels.
inline constexpr int mark_blocks = 4;

/// What the tiles and chunks of a mask contain.
struct MaskSummary {
  std::uint32_t* matters;         ///< per tile: bits of the words that RunWriter must read
  std::uint16_t* begun_in_tile;   ///< per tile: number of runs that begin in it
  std::uint32_t* begun_in_chunk;  ///< per chunk: number of runs that begin in it
};

/// Queues a kernel of `blocks` blocks of block_threads threads, in which each block calls mark_chunk.
using QueueMarking = std::function<void(unsigned int blocks, const Mask& mask, const MaskSummary& summary)>;

/// Lists the runs of a foreground of this shape, which `mark` marks. The list has room for Gpu::capacity runs; the host
/// does not wait.
Runs<Gpu> list_runs(const Shape& shape, const QueueMarking& mark, const Gpu& where);

/// Marks the pixels of a tile, and fills in its part of the summary. Returns the number of runs that begin in the tile.
/// All lanes of a warp call it.
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

/// Counts the runs that begin in the block's chunk. Every thread must construct one before its warp marks any tile.
class BegunInChunk {
 public:
  __device__ BegunInChunk() {
    if (threadIdx.x == 0) count() = 0;
    __syncthreads();
  }

  /// Stores in summary.begun_in_chunk how many runs begin in the chunk of this block. `begun` is the number in the
  /// tiles that the thread's warp has marked. All threads of the block call it after that.
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

/// Marks the pixels of the block's chunk of a mask, with the foreground that `source` gives. All threads of the block
/// call it. All lanes of a warp call the functions of `source`:
/// - load_before(mask, tile): the pixel before the tile;
/// - is_foreground(pixel);
/// - mark_word(mask, tile): the lane's word.
/// Pixels outside the image must not be foreground.
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
