#include "io/fits/binary_columns.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "io/files/big_endian.hpp"
#include "io/files/refuse.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::string_view types = "LXBIJKAEDCM";

/// Removes the leading digits from the text and returns their number, or `otherwise` if the text begins with no digit.
/// Returns nothing if the number overflows.
std::optional<std::int64_t> take_number(std::string_view& text, std::int64_t otherwise) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return otherwise;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(digits);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// Parses a TFORM such as `8A`, `3E` or `1PB(80)`, in capital or small letters. Returns nothing if the text is invalid.
std::optional<BinaryColumn> parse_form(std::string text) {
  text = in_capitals(std::move(text));
  std::string_view form = text;
  form.remove_prefix(std::min(form.find_first_not_of(' '), form.size()));
  BinaryColumn column;
  const std::optional<std::int64_t> repeat = take_number(form, 1);
  if (!repeat || form.empty()) return std::nullopt;
  column.repeat = *repeat;
  column.variable = form[0] == 'P' || form[0] == 'Q';
  column.wide = form[0] == 'Q';
  if (column.variable) form.remove_prefix(1);
  if (form.empty() || types.find(form[0]) == std::string_view::npos) return std::nullopt;
  column.type = form[0];
  form.remove_prefix(1);
  if (column.variable) {
    if (column.repeat > 1) return std::nullopt;
    column.bytes = column.repeat * (column.wide ? 16 : 8);
    return column;
  }
  if (column.type == 'X') {
    column.bytes = column.repeat / 8 + (column.repeat % 8 > 0);
  } else if (__builtin_mul_overflow(column.repeat, element_bytes(column.type), &column.bytes)) {
    return std::nullopt;
  }
  if (column.type != 'A') return column;
  const std::optional<std::int64_t> width = take_number(form, column.repeat);
  column.text = width && *width > 0 && *width < column.repeat ? *width : column.repeat;
  return column;
}

}  // namespace

std::int64_t element_bytes(char type) {
  switch (type) {
    case 'X':
      return 0;
    case 'I':
      return 2;
    case 'J':
    case 'E':
      return 4;
    case 'K':
    case 'D':
    case 'C':
      return 8;
    case 'M':
      return 16;
    default:
      return 1;
  }
}

std::optional<double> load_number(char type, const std::byte* bytes) {
  switch (type) {
    case 'B':
      return std::to_integer<int>(*bytes);
    case 'I':
      return load_big_endian<std::int16_t>(bytes);
    case 'J':
      return load_big_endian<std::int32_t>(bytes);
    case 'K':
      return static_cast<double>(load_big_endian<std::int64_t>(bytes));
    case 'E':
      return load_big_endian<float>(bytes);
    case 'D':
      return load_big_endian<double>(bytes);
    default:
      return std::nullopt;
  }
}

std::vector<BinaryColumn> binary_columns(const Header& header, const std::string& where) {
  const auto fail = [&](const std::string& problem) { refuse_header(where, problem); };
  const std::int64_t count = header.integer("TFIELDS").value_or(0), row = header.integer("NAXIS1").value_or(0);
  std::vector<BinaryColumn> columns;
  std::int64_t begin = 0;
  for (int number = 1; number <= count; ++number) {
    const std::string n = std::to_string(number);
    const std::optional<std::string> form = header.text("TFORM" + n);
    std::optional<BinaryColumn> column = parse_form(form.value_or(""));
    if (!column) fail("TFORM" + n + " = '" + form.value_or("") + "' is no type of a column");
    column->number = number;
    column->name = header.first_text("TTYPE" + n);
    column->begin = begin;
    const bool possible = !__builtin_add_overflow(begin, column->bytes, &begin);
    if (!possible || begin > row) {
      fail("TFORMn tell columns of " + (possible ? std::to_string(begin) + " bytes, more" : "more bytes") +
           " than NAXIS1 = " + std::to_string(row) + " says a row has");
    }
    columns.push_back(std::move(*column));
  }
  return columns;
}

std::string form_of(const BinaryColumn& column) {
  std::string form = std::to_string(column.repeat);
  if (column.variable) form += column.wide ? 'Q' : 'P';
  form += column.type;
  if (column.type == 'A' && column.text < column.repeat) form += std::to_string(column.text);
  return form;
}

const BinaryColumn* find_column(const std::vector<BinaryColumn>& columns, const std::string& name) {
  const auto found =
      std::ranges::find_if(columns, [&](const BinaryColumn& column) { return equal_in_any_case(column.name, name); });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace srcextract
