#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/fits/binary_columns.hpp"
#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// The table of a compressed image, one row per tile: header, and data unit in memory.
struct TileTable {
  const std::string& path;
  const Hdu& hdu;
  std::vector<BinaryColumn> columns;
  std::span<const std::byte> data;  ///< the data unit
  std::int64_t rows = 0, row_bytes = 0;

  /// The field of a tile in this column.
  const std::byte* field(const BinaryColumn& column, std::int64_t tile) const {
    return data.data() + tile * row_bytes + column.begin;
  }
};

/// Opens the table. Throws Error{input} if the header is not one of a table, or the rows exceed the data unit.
TileTable open_tile_table(const std::string& path, const Hdu& hdu, std::span<const std::byte> data);

/// A column whose rows describe streams of bytes in the heap; the column may be missing. Rows are read in place and not
/// copied, since a small file can have many. The table's data must outlive the column.
class StreamColumn {
 public:
  StreamColumn(const TileTable& table, const std::string& name);

  /// Element type; 0 if the column is missing or holds no streams.
  char type() const { return type_; }

  /// Number of elements of a tile; tiles count from 0.
  std::int64_t length(std::int64_t tile) const { return first_ == nullptr ? 0 : descriptor(tile, 0); }

  /// The bytes of a tile; empty if they are outside the heap.
  std::span<const std::byte> stream(std::int64_t tile) const;

 private:
  /// Part `number` of a row's descriptor: 0: length of the stream; 1: its offset in the heap.
  std::int64_t descriptor(std::int64_t tile, std::int64_t number) const;

  std::span<const std::byte> heap_;
  char type_ = 0;
  const std::byte* first_ = nullptr;  ///< the field of the first row; null: the column is missing
  std::int64_t row_bytes_ = 0;
  bool wide_ = false;
};

/// A number for each tile, from a column; or one number for all tiles, from a keyword. `Number` is double or int.
template <class Number>
class TileNumbers {
 public:
  TileNumbers(const TileTable& table, const std::string& name);

  bool missing() const { return !in_column() && !number_; }
  bool in_column() const { return first_ != nullptr; }
  Number of(std::int64_t tile) const;

 private:
  const std::byte* first_ = nullptr;  ///< the field of the first row; null: there is no column
  std::int64_t row_bytes_ = 0;
  char type_ = 0;
  std::optional<Number> number_;  ///< value of the keyword
};

}  // namespace srcextract
