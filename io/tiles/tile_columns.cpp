#include "io/tiles/tile_columns.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "io/files/big_endian.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

[[noreturn]] void refuse_columns(const TileTable& table, const std::string& problem) {
  throw Error(ErrorKind::input, describe(table.hdu, table.path) + ": " + problem +
                                    "; the header is damaged; fetch or make the file again");
}

}  // namespace

TileTable open_tile_table(const std::string& path, const Hdu& hdu, std::span<const std::byte> data) {
  TileTable table{path, hdu, binary_columns(*hdu.header, describe(hdu, path)), data};
  table.rows = hdu.header->integer("NAXIS2").value_or(0);
  table.row_bytes = hdu.header->integer("NAXIS1").value_or(0);
  if (table.row_bytes < 1 || table.rows < 0 || table.rows > std::ssize(data) / table.row_bytes) {
    refuse_columns(table, "the table of its tiles does not fit into the data");
  }
  return table;
}

StreamColumn::StreamColumn(const TileTable& table, const std::string& name) {
  const BinaryColumn* const column = find_column(table.columns, name);
  if (column == nullptr || !column->variable || column->repeat == 0) return;
  type_ = column->type;
  first_ = table.field(*column, 0);
  row_bytes_ = table.row_bytes;
  wide_ = column->wide;
  const std::int64_t behind = table.rows * table.row_bytes;
  const std::int64_t heap = table.hdu.header->integer("THEAP").value_or(behind);
  if (heap < behind || heap > std::ssize(table.data))
    refuse_columns(table, "THEAP is not behind the table in its data");
  heap_ = table.data.subspan(static_cast<std::size_t>(heap));
}

std::int64_t StreamColumn::descriptor(std::int64_t tile, std::int64_t number) const {
  const std::byte* const field = first_ + tile * row_bytes_;
  return wide_ ? load_big_endian<std::int64_t>(field + 8 * number) : load_big_endian<std::int32_t>(field + 4 * number);
}

std::span<const std::byte> StreamColumn::stream(std::int64_t tile) const {
  const std::int64_t elements = length(tile), width = std::max<std::int64_t>(1, element_bytes(type_));
  const std::int64_t offset = elements == 0 ? 0 : descriptor(tile, 1);
  if (elements < 0 || offset < 0 || elements > std::ssize(heap_) || offset > std::ssize(heap_) - elements * width)
    return {};
  return heap_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(elements * width));
}

template <class Number>
TileNumbers<Number>::TileNumbers(const TileTable& table, const std::string& name) {
  constexpr bool real = std::is_same_v<Number, double>;
  const BinaryColumn* const column = find_column(table.columns, name);
  if (column == nullptr) {
    if constexpr (real) {
      number_ = table.hdu.header->real(name);
    } else {
      const auto number = table.hdu.header->integer(name);
      if (number && !std::in_range<Number>(*number)) refuse_columns(table, name + " is beyond 32 bits");
      if (number) number_ = static_cast<Number>(*number);
    }
    return;
  }
  const std::string types = real ? "BIJED" : "BIJ";
  if (column->variable || column->repeat != 1 || types.find(column->type) == std::string::npos) {
    refuse_columns(table, "column " + name + " has not one number for each tile");
  }
  first_ = table.field(*column, 0);
  row_bytes_ = table.row_bytes;
  type_ = column->type;
}

template <class Number>
Number TileNumbers<Number>::of(std::int64_t tile) const {
  return in_column() ? static_cast<Number>(*load_number(type_, first_ + tile * row_bytes_)) : *number_;
}

template class TileNumbers<double>;
template class TileNumbers<int>;

}  // namespace srcextract
