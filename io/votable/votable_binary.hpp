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

/// Cuts the base64 text of BINARY or BINARY2 into rows, and those into cells. What is not kept is not stored: of the
/// bytes no more are held than a block and the cell that is not complete yet.
class VotableBinary {
 public:
  /// Before every row BINARY2 has one bit for each field: whether it is missing.
  VotableBinary(std::vector<VotableCells>& cells, bool null_bits, const XmlReader& xml);

  /// The next piece of the text.
  void add(std::string_view base64);

  /// How many are complete.
  std::int64_t rows() const { return rows_; }

  /// After the last piece: the number of rows.
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
  std::vector<std::byte> bytes_;      ///< decoded, and not yet cut
  std::size_t enough_;                ///< to look at them
  std::vector<std::byte> null_bits_;  ///< of this row, first field highest; empty in BINARY
  bool row_begun_ = false;
  std::size_t next_ = 0;     ///< cell of this row
  std::size_t to_skip_ = 0;  ///< bytes, of a cell that is not kept
  std::int64_t rows_ = 0;    ///< complete ones
};

}  // namespace srcextract
