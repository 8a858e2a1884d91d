#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/catalog/catalog_rows.hpp"
#include "io/parquet/parquet_format.hpp"
#include "stages/catalogue/parquet_compression.hpp"

namespace srcextract {

/// A column of the schema: numbers, text, or vectors of numbers that all have the same length.
struct ParquetField {
  std::string name;
  ParquetType type = ParquetType::float64;
  std::optional<ConvertedType> meaning;
  std::size_t value_bytes = 0;  ///< bytes of a number; 0 for text
  std::size_t elements = 1;
  bool vector = false;
};

ParquetField parquet_field(const CatalogField& field);

/// Least and largest value, encoded as in a page; text without its length.
struct ParquetRange {
  std::string least, largest;
};

/// The values of one column in one row group (Parquet's "column chunk"), as written to the file.
struct ParquetChunk {
  struct Page {
    std::string head;                     ///< page header, followed by the levels, or by all compressed bytes
    std::span<const std::byte> values{};  ///< values that follow `head`, in memory of the column; empty if compressed
  };
  std::vector<Page> pages;
  std::int64_t values = 0;          ///< number of values; each element of a vector counts
  std::int64_t bytes = 0;           ///< bytes of all pages
  std::int64_t bytes_unpacked = 0;  ///< bytes of all pages before compression
  std::optional<ParquetRange> range;
};

/// Collects the values of a column for one row group after the other, encoded as PLAIN. Only the values of the current
/// row group are in memory.
class ParquetColumn {
 public:
  explicit ParquetColumn(const CatalogField& field) : field_(parquet_field(field)) {}

  const ParquetField& field() const { return field_; }

  void append(const CatalogField& field, std::size_t begin, std::size_t end);

  /// Returns the chunk of all rows added to the current row group. The chunk refers to memory of this object, up to
  /// clear().
  ParquetChunk chunk(ParquetCompression compression) const;

  /// Removes all values, to begin the next row group.
  void clear();

  /// Number of characters of the longest text in all row groups so far.
  std::size_t longest() const { return longest_; }

 private:
  struct Cut {
    std::size_t row, byte;
  };
  ParquetChunk::Page page(std::span<const std::byte> values, std::size_t rows, ParquetCompression compression,
                          ParquetChunk& chunk) const;
  void append_text(const FieldValues<std::string>& values, std::size_t begin, std::size_t end);

  ParquetField field_;
  std::vector<std::byte> values_;
  std::size_t rows_ = 0;
  std::vector<Cut> cuts_;  ///< where pages of text begin, except the first page
  std::size_t longest_ = 0;
};

/// Returns the bytes that a text takes in a page: its length in four bytes, then the text.
inline std::size_t stored_bytes(const std::string& text) {
  return sizeof(std::uint32_t) + text.size();
}

}  // namespace srcextract
