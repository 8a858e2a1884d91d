#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// A column of the table of a compressed image whose rows, one a tile, are byte streams in the heap. It may be missing.
class StreamColumn {
 public:
  StreamColumn(FitsReader& reader, const Hdu& hdu, const std::string& name, std::int64_t tiles);

  /// CFITSIO's code of the type of the elements.
  int type() const { return -type_; }

  /// Elements of a tile (from 0).
  std::int64_t length(std::int64_t tile) const {
    return lengths_.empty() ? 0 : lengths_[static_cast<std::size_t>(tile)];
  }

  /// The bytes of a tile; none if they are not inside the heap.
  std::span<const std::byte> stream(std::int64_t tile) const;

 private:
  std::span<const std::byte> heap_;
  int type_ = 0;
  std::vector<LONGLONG> lengths_, offsets_;
};

/// A number for every tile, from a column, or for all, from a keyword. `Number` is double or int.
template <class Number>
class TileNumbers {
 public:
  TileNumbers(FitsReader& reader, const std::string& name, std::int64_t tiles);

  bool missing() const { return numbers_.empty(); }
  bool in_column() const { return in_column_; }
  Number of(std::int64_t tile) const { return numbers_[in_column_ ? static_cast<std::size_t>(tile) : 0]; }

 private:
  bool in_column_ = false;
  std::vector<Number> numbers_;
};

}  // namespace srcextract
