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

/// The table of a compressed image, one row a tile: its header, and its data unit in memory.
struct TileTable {
  const std::string& path;
  const Hdu& hdu;
  std::vector<BinaryColumn> columns;
  std::span<const std::byte> data;  ///< the data unit
  std::int64_t rows = 0, row_bytes = 0;

  /// The field of a tile.
  const std::byte* field(const BinaryColumn& column, std::int64_t tile) const {
    return data.data() + tile * row_bytes + column.begin;
  }
};

/// Throws Error{input} if the header is not that of a table, or the rows are not in the data unit.
TileTable open_tile_table(const std::string& path, const Hdu& hdu, std::span<const std::byte> data);

/// A column of the table whose rows are streams in the heap. It may be missing. Nothing is kept of its rows, of which a
/// small file has many: this and the following read them where the data of the table are, which must outlive them.
class StreamColumn {
 public:
  StreamColumn(const TileTable& table, const std::string& name);

  /// The letter of the type of the elements, 0 if the column is missing or its rows are no streams.
  char type() const { return type_; }

  /// Elements of a tile (from 0).
  std::int64_t length(std::int64_t tile) const { return first_ == nullptr ? 0 : descriptor(tile, 0); }

  /// The bytes of a tile; none if they are not inside the heap.
  std::span<const std::byte> stream(std::int64_t tile) const;

 private:
  /// Number 0 or 1 of those that a row has: the length of its stream, and where that begins in the heap.
  std::int64_t descriptor(std::int64_t tile, std::int64_t number) const;

  std::span<const std::byte> heap_;
  char type_ = 0;
  const std::byte* first_ = nullptr;  ///< the field of the first row; null: the column is missing
  std::int64_t row_bytes_ = 0;
  bool wide_ = false;
};

/// A number for every tile, from a column, or for all, from a keyword. `Number` is double or int.
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
  std::optional<Number> number_;  ///< of the keyword
};

}  // namespace srcextract
