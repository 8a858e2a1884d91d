#pragma once

#include "cuda/detect/mask.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// The list to which runs (consecutive foreground pixels of a row) are written. Runs beyond the first `room` are
/// dropped.
struct RunList {
  Run* runs;
  std::int64_t room;
  std::int64_t* row_begin;
};

/// Writes the runs of consecutive tiles (32 mask words) to a list. Most words are empty, so the other words are queued
/// first: every lane then has a word to process. All lanes of a warp must call each function together.
class RunWriter {
 public:
  /// Number of tiles that a warp handles at a time: one tile per lane.
  static constexpr std::uint32_t batch_tiles = 32;

  struct Memory {
    /// Members of runs, staged before they are copied to the list: first the end of a run that began earlier, then row,
    /// begin and end of each run. 32 words contain at most 16 begins each. One element is skipped after every 32nd
    /// value. Without the gaps, lanes that stage 16 runs each would all write to the same two memory banks.
    std::int32_t staged[1 + 3 * 32 * 16 + 3 * 16];
    std::uint16_t queue[batch_tiles * tile_words];  ///< indices, within the batch, of the words to read
  };

  /// `before` is the word before the first tile; `begun` is the number of runs that begin before the first tile.
  __device__ RunWriter(const Mask& mask, const RunList& list, std::uint32_t before, std::int64_t begun, Memory& memory)
      : mask_(mask), list_(list), memory_(memory), open_(before >> 31), begun_(begun) {}

  /// Writes the runs of up to 32 tiles from `tile` on, one tile per lane. `matters` has a bit for each word of the
  /// lane's tile that must be read: the word has foreground, follows a word whose last pixel is foreground, or begins a
  /// row.
  __device__ void go_on(std::uint32_t tile, std::uint32_t matters) {
    const int through = running_sum_of_warp(__popc(matters));
    for (int i = through - __popc(matters); matters != 0; matters &= matters - 1, ++i) {
      memory_.queue[i] = static_cast<std::uint16_t>(lane_ * 32 + __ffs(static_cast<int>(matters)) - 1);
    }
    const int queued = __shfl_sync(all_lanes, through, 31);
    __syncwarp();
    for (int i = 0; i < queued; i += 32) write(tile * tile_words, i, min(32, queued - i));
  }

 private:
  /// Stages and writes begins and ends of runs in up to 32 queued words. If a run reaches the last pixel of a word, the
  /// next queued word directly follows that word.
  __device__ void write(std::uint32_t batch, int first_queued, int words) {
    const bool there = lane_ < words;
    const std::uint32_t index = batch + (there ? memory_.queue[first_queued + lane_] : 0);
    const std::uint32_t word = there ? mask_.words[index] : 0;
    const WordPlace place = mask_.place(index);
    std::uint32_t open = __shfl_up_sync(all_lanes, word, 1) >> 31;
    if (lane_ == 0) open = open_;

    // The end of a run that reaches the end of its row is found in the first word of the next row.
    const bool starts_row = place.column == 0;
    const std::uint32_t begins = word & ~(word << 1 | (starts_row ? 0 : open));
    const std::uint32_t ends = there ? (~word & (word << 1 | open)) | (starts_row ? open : 0) : 0;
    const int through = running_sum_of_warp(__popc(begins));
    const int first = through - __popc(begins);
    if (there && starts_row && place.row <= mask_.height) list_.row_begin[place.row] = begun_ + first;
    stage(place, begins, ends, first, first - static_cast<int>(open));
    __syncwarp();

    const int count = __shfl_sync(all_lanes, through, 31);
    const std::uint32_t open_before = open_;
    open_ = __shfl_sync(all_lanes, word, words - 1) >> 31;
    copy(open_before != 0 ? 0 : 1, 3 * count + 1 - static_cast<int>(open_));
    __syncwarp();
    begun_ += count;
  }

  /// Returns the address of staged value `value`, after adding the skipped elements.
  __device__ std::int32_t& staged(unsigned int value) const { return memory_.staged[value + value / 32]; }

  /// Stages the begins and ends of runs in the lane's word. In raster order, the k-th begin and the k-th end belong to
  /// the same run, so that both can be stored independently.
  __device__ void stage(const WordPlace& place, std::uint32_t begins, std::uint32_t ends, int begin, int end) const {
    const auto x = static_cast<std::int32_t>(place.column * 32);
    for (unsigned int i = 3 * begin + 1; begins != 0; begins &= begins - 1, i += 3) {
      staged(i) = static_cast<std::int32_t>(place.row);
      staged(i + 1) = x + __ffs(static_cast<int>(begins)) - 1;
    }
    for (unsigned int i = 3 * (end + 1); ends != 0; ends &= ends - 1, i += 3) {
      const std::int32_t at = x + __ffs(static_cast<int>(ends)) - 1;
      staged(i) = at == 0 ? static_cast<std::int32_t>(mask_.width) : at;
    }
  }

  /// Copies the staged values `first` to last - 1 to the list.
  __device__ void copy(int first, int last) const {
    static_assert(sizeof(Run) == 3 * sizeof(std::int32_t));
    std::int32_t* const to = reinterpret_cast<std::int32_t*>(list_.runs) + 3 * begun_ - 1;
    const std::int64_t room = 3 * (list_.room - begun_) + 1;
    if (last > room) last = static_cast<int>(max(room, std::int64_t{0}));
    const std::int32_t* from = &staged(static_cast<unsigned int>(first + lane_));
#pragma unroll 1
    for (int i = first + lane_; i < last; i += 32, from += 33) to[i] = *from;
  }

  const Mask& mask_;
  const RunList& list_;
  Memory& memory_;
  const int lane_ = static_cast<int>(threadIdx.x % 32);
  /// whether the last pixel of the last processed word is foreground, so that its run may continue
  std::uint32_t open_;
  std::int64_t begun_;
};

}  // namespace srcextract
