#pragma once

#include "cuda/device/running_sums.hpp"
#include "stages/deblend/shared_shares.hpp"

namespace srcextract {

/// The pieces into which runs are cut, and the owner of each piece; a run is a set of consecutive foreground pixels of
/// one row. If the buffers are too short, only the first pieces are stored, but runs.row_begin counts all pieces.
struct CutRuns {
  Runs<Gpu> runs;
  Buffer<std::int32_t, Gpu> owner;
};

/// Enumerates the pieces of a run that lie in cores, the peaks into which an island of pixels is split. The owner of a
/// piece is the number of the core, from 1.
struct CorePieces {
  SharedIslands all;
  template <class Emit>
  __device__ void operator()(std::int64_t run, const Emit& emit) const {
    SharedShares(all, nullptr).for_each_core_piece(run, [&](std::int32_t begin, std::int32_t end, std::int32_t core) {
      emit(begin, end, core + 1);
    });
  }
};

/// Enumerates all pieces of a run, each with the number of the source that owns the piece
/// (SharedShares::for_each_source_piece).
struct SourcePieces {
  SharedIslands all;
  template <class Emit>
  __device__ void operator()(std::int64_t run, const Emit& emit) const {
    SharedShares(all, nullptr).for_each_source_piece(run, emit);
  }
};

/// Cuts runs into pieces, of which at most `room` are stored. cut_runs.cu defines this template for CorePieces and
/// SourcePieces only.
template <class Pieces>
CutRuns cut_at_owners(const Pieces& pieces, std::int64_t room, const Gpu& where);

}  // namespace srcextract
