#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/runs.hpp"

namespace srcextract {

/// Sorts the pixels of a connected set into SExtractor's order (tests/truth/oracle/connect.cpp). Rows are added one by
/// one. A part is a set of pixels that the rows so far connect. If runs of the next row connect parts, these parts and
/// runs become one part. Its order is by column, where an old part counts with the first column of its first run on the
/// previous row. The old part comes before the run's pixel at that column, so it may cut the run into pieces.
class PixelOrder {
 public:
  /// A piece of a run: columns [begin, end). `index` is the run's index among the given runs.
  struct Piece {
    std::int32_t index;
    std::int32_t begin, end;
  };

  /// Returns the pieces of `runs` in SExtractor's order. `runs` must be connected and in raster order; `reach` is as in
  /// stages/detect/adjacency.hpp. Time is linear in the number of runs. The result is valid until the next call.
  const std::vector<Piece>& sort(const std::vector<Run>& runs, std::int32_t reach);

 private:
  /// A connected part, as a linked list of pieces from `head` to `tail`.
  struct Part {
    std::int32_t first;  ///< first column of its first run on its last row
    std::int32_t head, tail;
  };

  std::int32_t root_of(std::int32_t member);
  void join_touching(const std::vector<Run>& runs, std::int32_t reach);
  void number_parts(const std::vector<Run>& runs);
  void append_row(const std::vector<Run>& runs);
  void append_piece(const Piece& piece, Part& to);
  void append_part(const Part& part, Part& to);

  /// runs of the previous row: above_begin_ to begin_; of this row: begin_ to end_
  std::int32_t above_begin_ = 0, begin_ = 0, end_ = 0;
  std::vector<std::int32_t> part_of_;  ///< per run: index of its part among the parts of its row
  std::vector<Part> parts_, joined_;   ///< parts after the previous row, and after this row; by column
  /// union-find over parts_, then over this row's runs: a member joined with this one
  std::vector<std::int32_t> root_;
  std::vector<std::int32_t> number_;  ///< per root: index of its part after this row, or -1
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> next_;  ///< per piece: the next one, or -1
  std::vector<Piece> sorted_;
};

}  // namespace srcextract
