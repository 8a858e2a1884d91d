#include "io/votable/votable_binary.hpp"

#include <algorithm>

#include "io/files/big_endian.hpp"

namespace srcextract {
namespace {

constexpr std::size_t block = 1 << 16;
constexpr std::size_t count_bytes = 4;  ///< bytes of the number of elements, which precedes a cell of variable size

}  // namespace

VotableBinary::VotableBinary(std::vector<VotableCells>& cells, bool null_bits, const XmlReader& xml)
    : cells_(cells), xml_(xml), enough_(block), null_bits_(null_bits ? (cells.size() + 7) / 8 : 0) {
  std::size_t least_row = null_bits_.size();
  for (const VotableCells& cell : cells) {
    const VotableField& field = cell.field();
    // Writers disagree on whether the number counts elements or rows of the array.
    if (field.variable && field.dimensions > 1) {
      xml.fail("the FIELD '" + field.head.name +
               "' is an array of variable size in more than one dimension, of which "
               "binary rows cannot be read; write the table as TABLEDATA");
    }
    least_row += field.variable ? count_bytes : static_cast<std::size_t>(field.bytes(field.elements));
  }
  if (least_row == 0) xml.fail("the rows of the TABLE have no bytes: every arraysize is 0");
}

void VotableBinary::add(std::string_view base64) {
  if (!decoder_.decode(base64, bytes_)) fail("the base64 text is damaged");
  if (bytes_.size() >= enough_) take_cells();
}

std::int64_t VotableBinary::finish() {
  if (!decoder_.complete()) fail("the base64 text is cut short: it ends inside a group of four characters");
  take_cells();
  if (row_begun_ || !bytes_.empty()) {
    fail("the data end inside it; they are cut short, or the FIELDs do not say what they are");
  }
  return rows_;
}

void VotableBinary::take_cells() {
  std::span<const std::byte> rest(bytes_);
  for (;;) {
    const std::size_t skipped = std::min(to_skip_, rest.size());
    rest = rest.subspan(skipped);
    to_skip_ -= skipped;
    if (to_skip_ > 0) break;
    if (next_ == cells_.size()) end_row();
    if (!row_begun_ && !take_null_bits(rest)) break;
    if (!take_cell(rest)) break;
  }
  bytes_.erase(bytes_.begin(), bytes_.end() - static_cast<std::ptrdiff_t>(rest.size()));
  enough_ = bytes_.size() + block;
}

/// Reads the null bits of a row. Returns false if these bytes have not all arrived yet.
bool VotableBinary::take_null_bits(std::span<const std::byte>& rest) {
  if (rest.empty() || rest.size() < null_bits_.size()) return false;
  std::copy_n(rest.begin(), null_bits_.size(), null_bits_.begin());
  rest = rest.subspan(null_bits_.size());
  row_begun_ = true;
  return true;
}

/// Takes a cell. Returns false if its bytes have not all arrived yet. A cell that is not kept is skipped, byte by byte
/// as the bytes arrive.
bool VotableBinary::take_cell(std::span<const std::byte>& rest) {
  VotableCells& cells = cells_[next_];
  const VotableField& field = cells.field();
  std::int64_t count = field.elements;
  std::size_t prefix = 0;
  if (field.variable) {
    prefix = count_bytes;
    if (rest.size() < prefix) return false;
    count = load_big_endian<std::int32_t>(rest.data());
    if (count < 0) fail("the FIELD '" + field.head.name + "' has " + std::to_string(count) + " elements");
  }
  const std::size_t size = prefix + static_cast<std::size_t>(field.bytes(count));
  if (cells.kept()) {
    if (rest.size() < size) return false;
    keep_cell(cells, rest.subspan(prefix, size - prefix));
    rest = rest.subspan(size);
  } else {
    to_skip_ = size;
  }
  ++next_;
  return true;
}

void VotableBinary::end_row() {
  next_ = 0;
  row_begun_ = false;
  ++rows_;
}

void VotableBinary::keep_cell(VotableCells& cells, std::span<const std::byte> bytes) {
  const bool missing = !null_bits_.empty() && (null_bits_[next_ / 8] & std::byte{0x80} >> (next_ % 8)) != std::byte{0};
  if (missing) {
    cells.add_missing();
  } else if (!cells.add_bytes(bytes)) {
    fail("the FIELD '" + cells.field().head.name + "' is no boolean");
  }
}

void VotableBinary::fail(const std::string& problem) const {
  xml_.fail("row " + std::to_string(rows_ + 1) + " of the TABLE: " + problem);
}

}  // namespace srcextract
