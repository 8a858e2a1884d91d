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

/// Converts rows of a FITS table, a piece at a time, to numbers and text for the writers of other formats. Integers of
/// a column with a null value (TNULL) become doubles, with NaN for null.
class NativeRows {
 public:
  /// With `vectors` apart, each element of a vector column is a column of its own, NAME, NAME_1 ..., as in
  /// write_catalog. Picture columns are then left out.
  NativeRows(const std::vector<StoredColumn>& columns, Vectors vectors);

  /// The fields, with one example row. Only its texts are meaningful: they have the greatest length.
  const CatalogRows& fields() const { return rows_; }

  /// Converts whole rows; valid until the next call.
  const CatalogRows& of(std::span<const std::byte> stored);

 private:
  using Values = std::variant<std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>,
                              std::vector<float>, std::vector<double>, std::vector<std::string>>;
  struct Field {
    StoredColumn column;
    std::size_t begin, elements, element_bytes;  ///< offset in a stored row; per value
    Values values;                               ///< row by row
    std::size_t first = 0;                       ///< index of its first field in rows_; its elements follow one another
    bool is_written = true, is_apart = false;
  };
  void add_field(Field field, Vectors vectors);
  template <class T>
  void load(Field& field, std::vector<T>& values, std::span<const std::byte> stored);

  std::size_t row_bytes_ = 0;
  std::deque<Field> of_column_;
  std::deque<std::string> names_;  ///< of elements that are columns of their own
  CatalogRows rows_;
};

}  // namespace srcextract
