#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/runs.hpp"

namespace srcextract {

/// The order in which SExtractor has the pixels of a connected set, whose rows it joins as they come
/// (tests/truth/oracle/connect.cpp): of the parts that the rows so far connect, and of the runs of the next row that
/// touch them, all that become one part follow each other by their columns, where a part stands at the column in which
/// its first run on the row before begins, before a pixel of that column.
class PixelOrder {
 public:
  /// Pieces of runs in that order; `index` says which run, of those that were given, each is a piece of.
  struct Piece {
    std::int32_t index;
    std::int32_t begin, end;
  };

  /// Gives it of `runs`, which are connected and in raster order; `reach` as in stages/detect/adjacency.hpp. Takes time
  /// by their number. What is returned is there until the next call.
  const std::vector<Piece>& sort(const std::vector<Run>& runs, std::int32_t reach);

 private:
  /// What is connected: pieces from `head` on.
  struct Part {
    std::int32_t first;  ///< column of its first run on its last row
    std::int32_t head, tail;
  };

  std::int32_t root_of(std::int32_t member);
  void join_touching(const std::vector<Run>& runs, std::int32_t reach);
  void number_parts(const std::vector<Run>& runs);
  void append_row(const std::vector<Run>& runs);
  void append_piece(const Piece& piece, Part& to);
  void append_part(const Part& part, Part& to);

  std::int32_t above_begin_ = 0, begin_ = 0, end_ = 0;  ///< the runs of the row before are [above_begin_, begin_)
  std::vector<std::int32_t> part_of_;                   ///< of each run: its part, among those of its row
  std::vector<Part> parts_, joined_;                    ///< by the row before, and by this one; by their columns
  std::vector<std::int32_t> root_;    ///< of parts_, and after them of the runs of the row: one that it is joined with
  std::vector<std::int32_t> number_;  ///< of each root: its part, among those of the row, or -1
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> next_;  ///< of each piece: the one that follows, or -1
  std::vector<Piece> sorted_;
};

}  // namespace srcextract
