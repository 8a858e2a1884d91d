#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "stages/detect/label.hpp"

namespace srcextract {

/// A piece: pixels of a run (stretch of foreground pixels of a row) in the columns [begin, end).
struct Piece {
  std::int32_t run;
  std::int32_t begin, end;
  std::int32_t owner;  ///< index of the core (part that becomes a source) to which the pixels belong, or -1
};

/// Appends a piece, which must come after the last piece in raster order. Merges it with the last piece if both are
/// adjacent and have the same owner.
inline void append(const Piece& piece, std::vector<Piece>& pieces) {
  if (!pieces.empty()) {
    Piece& last = pieces.back();
    if (last.run == piece.run && last.owner == piece.owner && last.end == piece.begin) {
      last.end = piece.end;
      return;
    }
  }
  pieces.push_back(piece);
}

/// Returns, for every run, the index of its first piece in the list of runs after cutting. The last element is the
/// length of that list. If a run is cut, `pieces` must have all pieces of the run, from left to right, in the order of
/// the runs.
inline Buffer<std::int64_t, Cpu> places_of(const Runs<Cpu>& runs, std::span<const Piece> pieces, const Cpu& where) {
  Buffer<std::int64_t, Cpu> place(runs.runs.size() + 1, where);
  std::fill(place.begin(), place.end(), 1);
  for (std::size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].run == pieces[i - 1].run) ++place[pieces[i].run];
  std::exclusive_scan(place.begin(), place.end(), place.begin(), std::int64_t{0});
  return place;
}

/// Cuts the runs into `pieces`, and sets the owner of each resulting run. A run without pieces stays whole, with the
/// owner `owner_of_whole(run)`.
template <class OwnerOfWhole>
void cut_runs(const Runs<Cpu>& runs, std::span<const Piece> pieces, const OwnerOfWhole& owner_of_whole, Runs<Cpu>& cut,
              Buffer<std::int32_t, Cpu>& owner, const Cpu& where) {
  const Buffer<std::int64_t, Cpu> place = places_of(runs, pieces, where);
  const std::int64_t height = runs.shape.height, count = runs.runs.size();
  cut = {runs.shape, {place[count], where}, {height + 1, where}};
  owner = Buffer<std::int32_t, Cpu>(place[count], where);
  for (std::int64_t y = 0; y <= height; ++y) cut.row_begin[y] = place[runs.row_begin[y]];
  for (std::int64_t run = 0; run < count; ++run) {
    cut.runs[place[run]] = runs.runs[run];
    owner[place[run]] = owner_of_whole(run);
  }
  std::int64_t next = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    next = i > 0 && pieces[i - 1].run == piece.run ? next + 1 : place[piece.run];
    cut.runs[next] = {runs.runs[piece.run].y, piece.begin, piece.end};
    owner[next] = piece.owner;
  }
}

}  // namespace srcextract
