#include "survey/merge/merge_header.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "io/files/big_endian.hpp"
#include "io/fits/card.hpp"
#include "io/tables/text_fields.hpp"
#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

/// Null value (TNULL) of integer columns of header keywords.
constexpr std::int64_t no_integer = std::numeric_limits<std::int64_t>::min();

/// Returns the number that a text such as '300' or ' 3.5E2' spells; returns any other value unchanged. A text with
/// leading zeros ('0231') is a name, not a number.
KeywordValue read_as_number(const KeywordValue& value) {
  const auto* const text = std::get_if<std::string>(&value);
  if (!text) return value;
  const std::size_t first = std::min(text->find_first_not_of(" +-"), text->size());
  const bool is_name = text->size() > first + 1 && (*text)[first] == '0' && is_digit((*text)[first + 1]);
  return is_name ? value : number_in(*text).value_or(value);
}

bool is_whole(const KeywordValue& value) {
  return std::holds_alternative<std::int64_t>(value);
}

bool is_number(const KeywordValue& value) {
  return is_whole(value) || std::holds_alternative<double>(value);
}

/// Whether the value is a text that stands for a missing number: only blanks, or 'nan', since a FITS card cannot
/// contain a NaN.
bool is_missing(const KeywordValue& value) {
  const auto* const text = std::get_if<std::string>(&value);
  if (!text) return false;
  const std::string_view word = without_blanks(*text);
  return word.empty() || word == "nan" || word == "NaN" || word == "NAN";
}

template <class Number>
Number number_of(const KeywordValue* value, Number missing) {
  const KeywordValue number = value ? read_as_number(*value) : std::string();
  if (is_whole(number)) return static_cast<Number>(std::get<std::int64_t>(number));
  return is_number(number) ? static_cast<Number>(std::get<double>(number)) : missing;
}

std::string text_of(const KeywordValue* value) {
  if (!value) return "";
  return std::visit(
      []<class T>(const T& held) -> std::string {
        if constexpr (std::is_same_v<T, std::string>) return held;
        if constexpr (std::is_same_v<T, bool>) return held ? "T" : "F";
        if constexpr (std::is_same_v<T, std::int64_t>) return std::to_string(held);
        if constexpr (std::is_same_v<T, double>) return format_real(held);
      },
      *value);
}

/// The kinds of values that one keyword has in all images; they decide the type of the keyword's column.
struct Kind {
  bool whole = true, numbers = true;
  std::string number, text;  ///< the first value that is stored as a number, and the first value that is no number
  std::size_t longest = 1;

  void add(const KeywordValue& value) {
    longest = std::max(longest, text_of(&value).size());
    if (is_missing(value)) return;
    const KeywordValue read = read_as_number(value);
    whole = whole && is_whole(read);
    numbers = numbers && is_number(read);
    if (is_number(value) && number.empty()) number = text_of(&value);
    if (!is_number(read) && text.empty()) text = text_of(&value);
  }

  /// Whether the keyword's column is numeric. If all values are texts, the column is text, even if all texts spell
  /// numbers.
  bool are_numbers() const { return numbers && !number.empty(); }
};

HeaderColumn column_of(const std::string& keyword, const Kind& kind) {
  HeaderColumn column;
  column.head.description = keyword + " in the header of the image";
  column.head.bytes = 8;
  if (kind.are_numbers() && kind.whole) {
    column.head.form = "K";
    column.head.null = no_integer;
    column.store = [=](const ImageHeader& header, std::byte* out) {
      store_big_endian(number_of(value_in(header, keyword), no_integer), out);
    };
  } else if (kind.are_numbers()) {
    column.head.form = "D";
    column.store = [=](const ImageHeader& header, std::byte* out) {
      store_big_endian(number_of(value_in(header, keyword), std::numeric_limits<double>::quiet_NaN()), out);
    };
  } else {
    const std::size_t width = kind.longest;
    column.head.form = std::to_string(width) + "A";
    column.head.bytes = static_cast<std::int64_t>(width);
    column.store = [=](const ImageHeader& header, std::byte* out) {
      store_text(text_of(value_in(header, keyword)), width, out);
    };
  }
  return column;
}

}  // namespace

std::vector<HeaderColumn> header_columns(const PackedHeaders& headers, const std::set<std::string>& taken,
                                         const std::function<void(const std::string&)>& warn) {
  std::vector<std::pair<std::string, Kind>> kinds;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const ImageHeader header = headers[i];
    for (const HeaderValue& value : header) {
      auto known = std::ranges::find(kinds, value.keyword, &std::pair<std::string, Kind>::first);
      if (known == kinds.end()) known = kinds.insert(kinds.end(), {value.keyword, {}});
      known->second.add(value.value);
    }
  }
  std::vector<HeaderColumn> columns;
  std::set<std::string> names = taken;
  for (const auto& [keyword, kind] : kinds) {
    if (!kind.numbers && !kind.number.empty())
      warn(keyword + " is a number in some images (" + kind.number + ") and no number in others ('" + kind.text +
           "'): its column of IMAGES is text");
    columns.push_back(column_of(keyword, kind));
    std::string& name = columns.back().head.name = keyword;
    std::ranges::replace(name, '-', '_');
    while (!names.insert(name).second) name = "HEADER_" + name;
  }
  return columns;
}

void store_text(const std::string& text, std::size_t width, std::byte* out) {
  std::fill_n(out, width, std::byte{0});
  std::ranges::transform(text, out, [](char c) { return static_cast<std::byte>(c); });
}

}  // namespace srcextract
