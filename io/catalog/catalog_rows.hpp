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

/// The values of one field of a catalogue, for every row: a column's, or those of several columns side by side, which
/// are a column of vectors in the file, or pictures.
template <class T>
struct FieldValues {
  std::vector<const T*> elements;  ///< at least one; that of the first row
  std::size_t step = 1;            ///< from there to that of the next row
  std::size_t width = 0;           ///< of a picture, whose elements stand row by row; 0 where there is none

  std::size_t size() const { return elements.size(); }  ///< of a vector; 1 of numbers and text
  const T& at(std::size_t row, std::size_t element) const { return elements[element][row * step]; }
};

struct CatalogField {
  Column column;  ///< of the first of them
  std::variant<FieldValues<std::int16_t>, FieldValues<std::int32_t>, FieldValues<std::int64_t>, FieldValues<float>,
               FieldValues<double>, FieldValues<std::string>>
      values;
};

/// What the writers write. Points into the catalogue that it was made of.
struct CatalogRows {
  std::vector<CatalogField> fields;
  std::int64_t count = 0;
};

/// Whether columns of one common name (FLUX_APER, FLUX_APER_1 ...) are one field, or each is its own.
enum class Vectors { joined, apart };

/// The columns of a catalogue that are written; joined ones stand where the first of them does, and with them
/// `vignets`, if there are any, at the end.
CatalogRows rows_of(const Sources& sources, Vectors vectors, const Vignets& vignets = {});
CatalogRows rows_of(const Table& table);

/// Calls f(Column, FieldValues) for each field.
template <class F>
void for_each_field(const CatalogRows& rows, F&& f) {
  for (const CatalogField& field : rows.fields)
    std::visit([&](const auto& values) { f(field.column, values); }, field.values);
}

}  // namespace srcextract
