#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/files/base64.hpp"
#include "io/votable/votable_cells.hpp"
#include "io/votable/xml_reader.hpp"

namespace srcextract {

/// Divides the bytes of BINARY or BINARY2 rows, given as base64 text, into cells, and adds these to the fields'
/// VotableCells. About 64 KiB of bytes, one piece of the text and one incomplete cell are in memory at a time. Cells of
/// fields that are not kept are skipped.
class VotableBinary {
 public:
  /// `null_bits` is true for BINARY2, in which each row begins with one bit per field that tells whether the value is
  /// missing. `cells` has one element per field.
  VotableBinary(std::vector<VotableCells>& cells, bool null_bits, const XmlReader& xml);

  void add(std::string_view base64);

  std::int64_t rows() const { return rows_; }

  /// Checks that the last row is complete, and returns the number of rows. Must be called after the last piece.
  std::int64_t finish();

 private:
  void take_cells();
  bool take_null_bits(std::span<const std::byte>& rest);
  bool take_cell(std::span<const std::byte>& rest);
  void end_row();
  void keep_cell(VotableCells& cells, std::span<const std::byte> bytes);
  [[noreturn]] void fail(const std::string& problem) const;

  std::vector<VotableCells>& cells_;
  const XmlReader& xml_;
  Base64Decoder decoder_;
  std::vector<std::byte> bytes_;      ///< decoded bytes that are not divided into cells yet
  std::size_t enough_;                ///< size of bytes_ from which on it is divided into cells
  std::vector<std::byte> null_bits_;  ///< null bits of the current row, first field highest; empty for BINARY
  bool row_begun_ = false;
  std::size_t next_ = 0;     ///< index of the next cell in the row
  std::size_t to_skip_ = 0;  ///< number of bytes still to be skipped, of a cell that is not kept
  std::int64_t rows_ = 0;
};

}  // namespace srcextract
