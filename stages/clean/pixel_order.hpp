#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/runs.hpp"

namespace srcextract {

/// Sorts connected pixels into the order in which SExtractor lists them (tests/truth/oracle/connect.cpp). The pixels
/// are given as runs (consecutive pixels of a row), and rows are added one by one. A part is a set of pixels that is
/// connected within the rows so far.
///
/// Runs of the next row and the old parts that they touch become one new part. Within the new part, runs and old parts
/// are ordered by column. The column of an old part is the first column of its first run on the previous row. An old
/// part precedes the pixel of the run at this column, and may thus divide a run into pieces.
class PixelOrder {
 public:
  /// Columns [begin, end) of the run with this index in the argument of sort().
  struct Piece {
    std::int32_t index;
    std::int32_t begin, end;
  };

  /// Returns pieces of all runs in SExtractor's order. `runs` must be connected and in raster order. `reach` is 0 if
  /// only pixels with a common side are connected, 1 if diagonal neighbours are too. Time is linear in the number of
  /// runs. The result is valid until the next call.
  const std::vector<Piece>& sort(const std::vector<Run>& runs, std::int32_t reach);

 private:
  /// A part: a linked list of pieces from index `head` to index `tail` of pieces_.
  struct Part {
    std::int32_t first;  ///< first column of the first run that the part has on its last row
    std::int32_t head, tail;
  };

  std::int32_t root_of(std::int32_t member);
  void join_touching(const std::vector<Run>& runs, std::int32_t reach);
  void number_parts(const std::vector<Run>& runs);
  void append_row(const std::vector<Run>& runs);
  void append_piece(const Piece& piece, Part& to);
  void append_part(const Part& part, Part& to);

  /// the runs of the previous row are [above_begin_, begin_), those of this row [begin_, end_)
  std::int32_t above_begin_ = 0, begin_ = 0, end_ = 0;
  std::vector<std::int32_t> part_of_;  ///< per run: index in `parts_` or `joined_` of the part that contains the run
  std::vector<Part> parts_, joined_;   ///< parts after the previous row and after this row, ordered by column
  /// union-find forest over parts_, followed by the runs of this row: the parent of each element
  std::vector<std::int32_t> root_;
  std::vector<std::int32_t> number_;  ///< per root in root_: index in joined_, or -1
  std::vector<Piece> pieces_;
  std::vector<std::int32_t> next_;  ///< per piece: the next piece of the same part, or -1
  std::vector<Piece> sorted_;
};

}  // namespace srcextract
