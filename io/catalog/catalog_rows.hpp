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

/// The values of one field of a catalogue, for all rows. A field is a single column, a vector of several columns, or a
/// picture.
template <class T>
struct FieldValues {
  std::vector<const T*> elements;  ///< per element, a pointer to its value in the first row; at least one
  std::size_t step = 1;            ///< distance to the next row's value
  std::size_t width = 0;           ///< width of a picture, stored row by row; 0 for others

  std::size_t size() const { return elements.size(); }  ///< elements of a vector; 1 for numbers and text
  const T& at(std::size_t row, std::size_t element) const { return elements[element][row * step]; }
};

struct CatalogField {
  Column column;  ///< the first of the field's columns
  std::variant<FieldValues<std::int16_t>, FieldValues<std::int32_t>, FieldValues<std::int64_t>, FieldValues<float>,
               FieldValues<double>, FieldValues<std::string>>
      values;
};

/// The rows of a catalogue as writers read them; points into that catalogue.
struct CatalogRows {
  std::vector<CatalogField> fields;
  std::int64_t count = 0;
};

/// Whether columns of one common name (FLUX_APER, FLUX_APER_1 ...) form one field or stay separate.
enum class Vectors { joined, apart };

/// Lists the columns to write as fields. Joined columns stand at the place of the first of them. `vignets`, if there
/// are any, come last, but are left out if columns stay apart.
CatalogRows rows_of(const Sources& sources, Vectors vectors, const Vignets& vignets = {});
CatalogRows rows_of(const Table& table);

/// Calls f(Column, FieldValues) for each field.
template <class F>
void for_each_field(const CatalogRows& rows, F&& f) {
  for (const CatalogField& field : rows.fields)
    std::visit([&](const auto& values) { f(field.column, values); }, field.values);
}

}  // namespace srcextract
