#include "survey/formats/native_rows.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <type_traits>

#include "io/files/big_endian.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// The leading number of a TFORM or TDIM: 12 of `12A`, 11 of `(11,9)`; 1 without a number.
std::size_t leading_number(std::string_view text) {
  if (text.starts_with('(')) text.remove_prefix(1);
  std::size_t number = 1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The text up to the first NUL, without trailing blanks.
std::string text_at(const std::byte* bytes, std::size_t width) {
  std::string_view text(reinterpret_cast<const char*>(bytes), width);
  text = text.substr(0, text.find('\0'));
  return std::string(text.substr(0, text.find_last_not_of(' ') + 1));
}

}  // namespace

NativeRows::NativeRows(const std::vector<StoredColumn>& columns, Vectors vectors) {
  for (const StoredColumn& column : columns) {
    const std::size_t bytes = static_cast<std::size_t>(column.bytes);
    const bool is_text = column.form.ends_with('A');
    const std::size_t elements = is_text ? 1 : leading_number(column.form);
    Field field{column, row_bytes_, elements, bytes / std::max<std::size_t>(elements, 1), {}};
    row_bytes_ += bytes;
    if (is_text) field.values = std::vector<std::string>(1, std::string(bytes, ' '));
    if (column.form.ends_with('I')) field.values = std::vector<std::int16_t>();
    if (column.form.ends_with('J')) field.values = std::vector<std::int32_t>();
    if (column.form.ends_with('K')) field.values = std::vector<std::int64_t>();
    if (column.form.ends_with('E')) field.values = std::vector<float>();
    if (column.form.ends_with('D') || column.null) field.values = std::vector<double>();
    add_field(std::move(field), vectors);
  }
  rows_.count = 1;
}

void NativeRows::add_field(Field field, Vectors vectors) {
  const bool is_picture = !field.column.dim.empty();
  field.first = rows_.fields.size();
  field.is_apart = vectors == Vectors::apart && field.elements > 1;
  field.is_written = !(field.is_apart && is_picture);
  const Field& kept = of_column_.emplace_back(std::move(field));
  if (!kept.is_written) return;
  const Column head{kept.column.name.c_str(), kept.column.unit.c_str(), kept.column.ucd.c_str(),
                    kept.column.description.c_str(), 0};
  const std::size_t width = is_picture ? leading_number(kept.column.dim) : 0;
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const std::size_t together = kept.is_apart ? 1 : kept.elements;
        for (std::size_t i = 0; i < kept.elements / together; ++i) {
          Column column = head;
          if (i > 0) column.name = names_.emplace_back(kept.column.name + "_" + std::to_string(i)).c_str();
          const T* const widest = std::is_same_v<T, std::string> ? values.data() : nullptr;
          rows_.fields.push_back(
              {column, FieldValues<T>{std::vector<const T*>(together, widest), kept.elements, width}});
        }
      },
      kept.values);
}

template <class T>
void NativeRows::load(Field& field, std::vector<T>& values, std::span<const std::byte> stored) {
  const std::size_t count = stored.size() / row_bytes_;
  values.resize(count * field.elements);
  auto out = values.begin();
  for (const std::byte* row = stored.data() + field.begin; out != values.end(); row += row_bytes_) {
    const std::byte* from = row;
    for (std::size_t i = 0; i < field.elements; ++i, ++out, from += field.element_bytes) {
      if constexpr (std::is_same_v<T, std::string>) {
        *out = text_at(from, field.element_bytes);
      } else if (field.column.null) {
        const auto whole = load_big_endian<std::int64_t>(from);
        *out = whole == *field.column.null ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(whole);
      } else {
        *out = load_big_endian<T>(from);
      }
    }
  }
  if (!field.is_written) return;
  const std::size_t together = field.is_apart ? 1 : field.elements;
  for (std::size_t i = 0; i < field.elements; ++i) {
    auto& of_field = std::get<FieldValues<T>>(rows_.fields[field.first + i / together].values);
    of_field.elements[i % together] = values.data() + i;
  }
}

const CatalogRows& NativeRows::of(std::span<const std::byte> stored) {
  if (row_bytes_ == 0 || stored.size() % row_bytes_ != 0)
    throw Error(ErrorKind::internal, "a table was given a part of a row; please report this");
  rows_.count = static_cast<std::int64_t>(stored.size() / row_bytes_);
  for (Field& field : of_column_) std::visit([&](auto& values) { load(field, values, stored); }, field.values);
  return rows_;
}

}  // namespace srcextract
