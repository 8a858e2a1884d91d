#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/runs.hpp"

namespace srcextract {

/// SExtractor's order of the pixels of a connected set (tests/truth/oracle/connect.cpp). Rows are added one by one. A
/// part is a set of pixels that the rows so far connect. If runs of the next row connect parts, these parts and runs
/// become one part. Its order is by column: an old part stands at the first column of its first run on the row before.
/// It comes before the pixel of that column, so it may cut a run into pieces.
class PixelOrder {
 public:
  /// A piece of a run; `index` is that of the run among the given runs.
  struct Piece {
    std::int32_t index;
    std::int32_t begin, end;
  };

  /// Returns the pieces of `runs` in this order. `runs` are connected and in raster order; `reach` is as in
  /// stages/detect/adjacency.hpp. Time is linear in their number. The result is valid until the next call.
  const std::vector<Piece>& sort(const std::vector<Run>& runs, std::int32_t reach);

 private:
  /// A connected part, as a list of pieces that starts at `head`.
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
  std::vector<std::int32_t> part_of_;                   ///< per run: its part, among those of its row
  std::vector<Part> parts_, joined_;                    ///< parts after the row before, and after this row; by column
  std::vector<std::int32_t> root_;    ///< for parts_, then for the runs of the row: a member joined with this one
  std::vector<std::int32_t> number_;  ///< per root: its part, among those of the row, or -1
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> next_;  ///< per piece: the next one, or -1
  std::vector<Piece> sorted_;
};

}  // namespace srcextract
