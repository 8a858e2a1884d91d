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

/// The binary table that stores a compressed image, one tile per row: its header, and its data unit in memory.
struct TileTable {
  const std::string& path;
  const Hdu& hdu;
  std::vector<BinaryColumn> columns;
  std::span<const std::byte> data;  ///< bytes of the data unit
  std::int64_t rows = 0, row_bytes = 0;

  /// Returns the bytes of a tile (from 0) in this column.
  const std::byte* field(const BinaryColumn& column, std::int64_t tile) const {
    return data.data() + tile * row_bytes + column.begin;
  }
};

/// Reads the columns of the table. Throws Error{input} if the header is not that of a table, or if the rows do not fit
/// into the data unit. `path` and `hdu` must outlive the result.
TileTable open_tile_table(const std::string& path, const Hdu& hdu, std::span<const std::byte> data);

/// A column whose rows are descriptors of byte streams in the heap; the column may be missing. Descriptors are decoded
/// at each call rather than stored, since even a small file can have very many rows. The table's data must outlive this
/// object.
class StreamColumn {
 public:
  StreamColumn(const TileTable& table, const std::string& name);

  /// TFORM letter of the elements; 0 if the column is missing or has no streams.
  char type() const { return type_; }

  /// Number of elements in the stream of a tile (from 0).
  std::int64_t length(std::int64_t tile) const { return first_ == nullptr ? 0 : descriptor(tile, 0); }

  /// Returns the bytes of a tile's stream; empty if the descriptor points outside the heap.
  std::span<const std::byte> stream(std::int64_t tile) const;

 private:
  /// Returns one of the two numbers in a tile's descriptor; `number` is 0 for the length of the stream, 1 for its
  /// offset in the heap.
  std::int64_t descriptor(std::int64_t tile, std::int64_t number) const;

  std::span<const std::byte> heap_;
  char type_ = 0;
  const std::byte* first_ = nullptr;  ///< field of the first row; null if the column is missing
  std::int64_t row_bytes_ = 0;
  bool wide_ = false;
};

/// One number per tile from a column, or the same number for all tiles from a keyword. `Number` is double or int.
template <class Number>
class TileNumbers {
 public:
  TileNumbers(const TileTable& table, const std::string& name);

  bool missing() const { return !in_column() && !number_; }
  bool in_column() const { return first_ != nullptr; }
  Number of(std::int64_t tile) const;

 private:
  const std::byte* first_ = nullptr;  ///< field of the first row; null if there is no such column
  std::int64_t row_bytes_ = 0;
  char type_ = 0;
  std::optional<Number> number_;  ///< value of the keyword, if there is no column
};

}  // namespace srcextract
