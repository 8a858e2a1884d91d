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

/// What the schema says of a field: numbers, text, or vectors of numbers of one length.
struct ParquetField {
  std::string name;
  ParquetType type = ParquetType::float64;
  std::optional<ConvertedType> meaning;
  std::size_t value_bytes = 0;  ///< 0 of text
  std::size_t elements = 1;
  bool vector = false;
};

ParquetField parquet_field(const CatalogField& field);

/// The least and the largest value as a page would hold them.
struct ParquetRange {
  std::string least, largest;
};

/// The values of a column in the rows of a row group, as they go into the file.
struct ParquetChunk {
  struct Page {
    std::string head;                     ///< its header, and what was made anew of what follows
    std::span<const std::byte> values{};  ///< what follows as it lies in the column
  };
  std::vector<Page> pages;
  std::int64_t values = 0;          ///< elements of vectors counted
  std::int64_t bytes = 0;           ///< of the pages
  std::int64_t bytes_unpacked = 0;  ///< of the same before they were compressed
  std::optional<ParquetRange> range;
};

/// Gathers the values of a column for one row group after the other, encoded PLAIN. Takes no more memory than the
/// values that it holds.
class ParquetColumn {
 public:
  explicit ParquetColumn(const CatalogField& field) : field_(parquet_field(field)) {}

  const ParquetField& field() const { return field_; }

  /// Adds rows [begin, end) of the field.
  void append(const CatalogField& field, std::size_t begin, std::size_t end);

  /// The chunk of all that was added. It points into the column.
  ParquetChunk chunk(ParquetCompression compression) const;

  /// Begins the next row group.
  void clear();

  /// Characters of the longest text that there ever was.
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
  std::vector<Cut> cuts_;  ///< where pages of text begin, but for the first
  std::size_t longest_ = 0;
};

/// The bytes that text takes in a page.
inline std::size_t stored_bytes(const std::string& text) {
  return sizeof(std::uint32_t) + text.size();
}

}  // namespace srcextract
