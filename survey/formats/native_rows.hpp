#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/catalog/catalog_rows.hpp"
#include "io/tables/stored_table.hpp"

namespace srcextract {

/// Makes numbers and text of rows as a FITS table stores them, a piece at a time: what the writers of other formats
/// take. Integers of a column that has a value for none (TNULL) become doubles, and NaN where there is none.
class NativeRows {
 public:
  /// With `vectors` apart, the elements of a column of vectors are columns of their own, NAME, NAME_1 ..., as
  /// write_catalog has them, and columns of pictures are left out.
  NativeRows(const std::vector<StoredColumn>& columns, Vectors vectors);

  /// The fields, and one row, of which texts alone may be looked at: they are as long as any.
  const CatalogRows& fields() const { return rows_; }

  /// Whole rows; good until the next call.
  const CatalogRows& of(std::span<const std::byte> stored);

 private:
  using Values = std::variant<std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>,
                              std::vector<float>, std::vector<double>, std::vector<std::string>>;
  struct Field {
    StoredColumn column;
    std::size_t begin, elements, element_bytes;  ///< where it begins in a stored row; of a value
    Values values;                               ///< row by row
    std::size_t first = 0;                       ///< of its fields in rows_; those of its elements follow one another
    bool is_written = true, is_apart = false;
  };
  void add_field(Field field, Vectors vectors);
  template <class T>
  void load(Field& field, std::vector<T>& values, std::span<const std::byte> stored);

  std::size_t row_bytes_ = 0;
  std::deque<Field> of_column_;
  std::deque<std::string> names_;  ///< of elements that are apart
  CatalogRows rows_;
};

}  // namespace srcextract
