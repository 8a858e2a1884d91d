#include "survey/merge/merge_header.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "io/files/big_endian.hpp"

namespace srcextract {
namespace {

/// Stands for an integer that there is not.
constexpr std::int64_t no_integer = std::numeric_limits<std::int64_t>::min();

const HeaderValue* find(const ImageHeader& header, const std::string& keyword) {
  const auto found = std::ranges::find(header, keyword, &HeaderValue::keyword);
  return found == header.end() ? nullptr : &*found;
}

double number_of(const HeaderValue* value) {
  if (value && std::holds_alternative<std::int64_t>(value->value))
    return static_cast<double>(std::get<std::int64_t>(value->value));
  return value ? std::get<double>(value->value) : std::numeric_limits<double>::quiet_NaN();
}

std::string text_of(const HeaderValue* value) {
  if (!value) return "";
  return std::visit(
      []<class T>(const T& held) -> std::string {
        if constexpr (std::is_same_v<T, std::string>) return held;
        if constexpr (std::is_same_v<T, bool>) return held ? "T" : "F";
        if constexpr (std::is_same_v<T, std::int64_t>) return std::to_string(held);
        if constexpr (std::is_same_v<T, double>) return format_real(held);
      },
      value->value);
}

/// What the values of a keyword are in all images.
struct Kind {
  bool whole = true, numbers = true;
  std::size_t longest = 1;

  void add(const HeaderValue& value) {
    whole = whole && std::holds_alternative<std::int64_t>(value.value);
    numbers =
        numbers && (std::holds_alternative<std::int64_t>(value.value) || std::holds_alternative<double>(value.value));
    longest = std::max(longest, text_of(&value).size());
  }
};

HeaderColumn column_of(const std::string& keyword, const Kind& kind) {
  HeaderColumn column;
  column.head.description = keyword + " in the header of the image";
  column.head.bytes = 8;
  if (kind.whole) {
    column.head.form = "K";
    column.head.null = no_integer;
    column.store = [=](const ImageHeader& header, std::byte* out) {
      const HeaderValue* const value = find(header, keyword);
      store_big_endian(value ? std::get<std::int64_t>(value->value) : no_integer, out);
    };
  } else if (kind.numbers) {
    column.head.form = "D";
    column.store = [=](const ImageHeader& header, std::byte* out) {
      store_big_endian(number_of(find(header, keyword)), out);
    };
  } else {
    const std::size_t width = kind.longest;
    column.head.form = std::to_string(width) + "A";
    column.head.bytes = static_cast<std::int64_t>(width);
    column.store = [=](const ImageHeader& header, std::byte* out) {
      store_text(text_of(find(header, keyword)), width, out);
    };
  }
  return column;
}

}  // namespace

std::vector<HeaderColumn> header_columns(const PackedHeaders& headers, const std::set<std::string>& taken) {
  std::vector<std::pair<std::string, Kind>> kinds;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const ImageHeader header = headers[i];
    for (const HeaderValue& value : header) {
      auto known = std::ranges::find(kinds, value.keyword, &std::pair<std::string, Kind>::first);
      if (known == kinds.end()) known = kinds.insert(kinds.end(), {value.keyword, {}});
      known->second.add(value);
    }
  }
  std::vector<HeaderColumn> columns;
  std::set<std::string> names = taken;
  for (const auto& [keyword, kind] : kinds) {
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
