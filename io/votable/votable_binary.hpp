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

/// Cuts the base64 text of BINARY or BINARY2 into rows and cells. At most one block and one incomplete cell are held;
/// cells that are not kept are not stored.
class VotableBinary {
 public:
  /// `null_bits`: each row begins with one bit per field that tells whether it is missing (BINARY2).
  VotableBinary(std::vector<VotableCells>& cells, bool null_bits, const XmlReader& xml);

  /// Takes the next piece of the text.
  void add(std::string_view base64);

  /// Number of complete rows.
  std::int64_t rows() const { return rows_; }

  /// Call it after the last piece; returns the number of rows.
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
  std::vector<std::byte> bytes_;      ///< decoded bytes, not yet cut
  std::size_t enough_;                ///< size of bytes_ from which on they are cut into cells
  std::vector<std::byte> null_bits_;  ///< null bits of the row, first field highest; empty in BINARY
  bool row_begun_ = false;
  std::size_t next_ = 0;     ///< next cell of the row
  std::size_t to_skip_ = 0;  ///< bytes still to come of a cell that is not kept
  std::int64_t rows_ = 0;    ///< complete rows
};

}  // namespace srcextract
