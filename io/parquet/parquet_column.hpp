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

/// A field of the schema: numbers, text, or vectors of numbers of one length.
struct ParquetField {
  std::string name;
  ParquetType type = ParquetType::float64;
  std::optional<ConvertedType> meaning;
  std::size_t value_bytes = 0;  ///< 0 for text
  std::size_t elements = 1;
  bool vector = false;
};

ParquetField parquet_field(const CatalogField& field);

/// The least and the largest value, encoded as in a page.
struct ParquetRange {
  std::string least, largest;
};

/// The values of a column in a row group, as written to the file.
struct ParquetChunk {
  struct Page {
    std::string head;                     ///< page header, then levels, or all that is compressed
    std::span<const std::byte> values{};  ///< values behind `head`, in the column's memory; empty if compressed
  };
  std::vector<Page> pages;
  std::int64_t values = 0;          ///< values, including elements of vectors
  std::int64_t bytes = 0;           ///< bytes of the pages
  std::int64_t bytes_unpacked = 0;  ///< bytes of the pages before compression
  std::optional<ParquetRange> range;
};

/// Gathers the values of a column for one row group after the other, encoded PLAIN. Takes only the memory of these
/// values.
class ParquetColumn {
 public:
  explicit ParquetColumn(const CatalogField& field) : field_(parquet_field(field)) {}

  const ParquetField& field() const { return field_; }

  /// Adds rows [begin, end) of the field.
  void append(const CatalogField& field, std::size_t begin, std::size_t end);

  /// The chunk of all added rows, which points into the column.
  ParquetChunk chunk(ParquetCompression compression) const;

  /// Begins the next row group.
  void clear();

  /// Characters of the longest text in all row groups.
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
  std::vector<Cut> cuts_;  ///< starts of text pages, except the first
  std::size_t longest_ = 0;
};

/// Bytes of a text in a page.
inline std::size_t stored_bytes(const std::string& text) {
  return sizeof(std::uint32_t) + text.size();
}

}  // namespace srcextract
