#pragma once

#include <functional>

#include "cuda/detect/mask.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Number of blocks of a marking kernel that a multiprocessor should run at the same time; small enough for a thread to
/// keep 32 pixels in registers.
inline constexpr int mark_blocks = 4;

/// A summary of the tiles (32 mask words) and the chunks (consecutive tiles, marked by one block) of a mask.
struct MaskSummary {
  std::uint32_t* matters;         ///< for each tile: bits of the words that RunWriter must read
  std::uint16_t* begun_in_tile;   ///< for each tile: number of runs of foreground pixels that begin in it
  std::uint32_t* begun_in_chunk;  ///< for each chunk: number of runs that begin in it
};

/// Queues a kernel with `blocks` blocks of block_threads threads; each block must call mark_chunk(), or do the same
/// work.
using QueueMarking = std::function<void(unsigned int blocks, const Mask& mask, const MaskSummary& summary)>;

/// Lists the runs (consecutive foreground pixels of a row) of the foreground that `mark` marks. The list holds at most
/// Gpu::capacity runs. The host does not wait for the device.
Runs<Gpu> list_runs(const Shape& shape, const QueueMarking& mark, const Gpu& where);

/// Marks the pixels of a tile, and stores the tile's part of the summary. Returns the number of runs that begin in the
/// tile. All lanes of a warp must call this function together.
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

/// Counts the runs that begin in the block's chunk. All threads of a block must construct this object together, before
/// any warp marks a tile.
class BegunInChunk {
 public:
  __device__ BegunInChunk() {
    if (threadIdx.x == 0) count() = 0;
    __syncthreads();
  }

  /// Adds up the runs that begin in the chunk, and stores the sum in summary.begun_in_chunk. `begun` is the number of
  /// runs in the tiles that this warp has marked. All threads of the block must call this function together after
  /// marking.
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

/// Marks the pixels of the block's chunk of a mask. All threads of the block must call this function together. `source`
/// defines the foreground by functions that all lanes of a warp call together:
/// - load_before(mask, tile): returns the value that is_foreground() needs about the pixel before the tile;
/// - is_foreground(value): whether that pixel is foreground; any answer is right if the tile begins a row;
/// - mark_word(mask, tile): returns the lane's word of the tile.
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
