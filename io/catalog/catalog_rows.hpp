#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/catalogue/table.hpp"
#include "stages/catalogue/vignets.hpp"

namespace srcextract {

/// The values of one field of a catalogue in all rows. A field is one column, a vector of several columns, or an image.
template <class T>
struct FieldValues {
  std::vector<const T*> elements;  ///< one pointer per element, to the element's value in the first row; at least one
  std::size_t step = 1;            ///< distance to the value in the next row, in values
  std::size_t width = 0;           ///< width of an image, which is stored row by row; 0 for other fields

  std::size_t size() const { return elements.size(); }  ///< elements of a vector or image; 1 for numbers and text
  const T& at(std::size_t row, std::size_t element) const { return elements[element][row * step]; }
};

struct CatalogField {
  Column column;  ///< column of the first element
  std::variant<FieldValues<std::int16_t>, FieldValues<std::int32_t>, FieldValues<std::int64_t>, FieldValues<float>,
               FieldValues<double>, FieldValues<std::string>>
      values;
  bool keeps_bits = false;  ///< whether every format stores all bits of the values: the column is the user's own
};

/// The rows of a catalogue, as writers read them. All pointers refer to that catalogue, which must outlive them.
struct CatalogRows {
  std::vector<CatalogField> fields;
  std::int64_t count = 0;
};

/// Whether columns with a common name (FLUX_APER, FLUX_APER_1 ...) form one field, or one field each.
enum class Vectors { joined, apart };

/// Returns the columns to write as fields. A field of joined columns has the position of the first of the columns. The
/// field of `vignets`, if there are any, is the last; there is none if columns stay apart.
CatalogRows rows_of(const Sources& sources, Vectors vectors, const Vignets& vignets = {});
CatalogRows rows_of(const Table& table);

template <class F>
void for_each_field(const CatalogRows& rows, F&& f) {
  for (const CatalogField& field : rows.fields)
    std::visit([&](const auto& values) { f(field.column, values); }, field.values);
}

}  // namespace srcextract
