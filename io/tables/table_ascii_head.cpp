#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/tables/table_formats.hpp"
#include "io/tables/text_fields.hpp"
#include "io/tables/text_table.hpp"

namespace srcextract {
namespace {

/// Largest number of columns. A gap in the numbers of the header means a vector as long as the gap; a longer gap comes
/// from a damaged number.
constexpr std::size_t most_described_columns = 100'000;

/// A line of the header such as `#   2 X_IMAGE     Object position along x      [pixel]`.
struct HeadLine {
  std::size_t number = 0;  ///< number of the column, from 1; 0 if the line describes no column
  ColumnHead head;
};

std::string_view next_word(std::string_view& rest) {
  rest = without_blanks(rest);
  const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
  rest = without_blanks(rest.substr(word.size()));
  return word;
}

HeadLine parse_head(std::string_view line) {
  std::string_view rest = line.substr(std::min<std::size_t>(line.size(), 1));
  const std::string_view number = next_word(rest), name = next_word(rest);
  HeadLine out;
  const auto [stop, error] = std::from_chars(number.data(), number.data() + number.size(), out.number);
  if (stop != number.data() + number.size() || error != std::errc() || name.empty()) return {};
  out.head.name = name;
  const std::size_t bracket = rest.ends_with(']') ? rest.rfind('[') : std::string_view::npos;
  if (bracket != std::string_view::npos) {
    out.head.unit = without_blanks(rest.substr(bracket + 1, rest.size() - bracket - 2));
    rest = without_blanks(rest.substr(0, bracket));
  }
  out.head.description = rest;
  return out;
}

/// Adds columns for the elements of the vector that the last column begins, until there are `fields` columns.
void widen_last_column(TextLayout& layout, std::size_t fields) {
  const ColumnHead first = layout.columns.empty() ? ColumnHead() : layout.columns.back().head;
  for (std::int64_t element = 1; layout.columns.size() < fields; ++element) {
    TextLayout::Column column{first, layout.columns.size(), FieldType::any, {}};
    column.head.name = element_name(first.name, element);
    layout.columns.push_back(std::move(column));
  }
}

/// Widens the last column to a vector if the first row has more fields than the header has numbers.
void read_width(TextLines& lines, TextLayout& layout) {
  const std::size_t fields = FieldSplitter(' ').split(lines, [](std::size_t, std::string_view) {});
  if (fields < layout.columns.size() || fields > most_described_columns) {
    throw lines.error("the first row has " + std::to_string(fields) + " fields, but the header numbers " +
                      std::to_string(layout.columns.size()) + " columns");
  }
  widen_last_column(layout, fields);
  lines.put_back();
}

/// Returns true if the column is an element of an image, which the header describes as a vector: VIGNET, and
/// SExtractor's VIGNET_SHIFT, VIGNET_DGEOX and similar names.
bool is_picture(const TextLayout::Column& column) {
  return column.head.name == "VIGNET" || column.head.name.starts_with("VIGNET_");
}

TextLayout ascii_head_layout(TextLines& lines) {
  TextLayout layout;
  layout.comments = true;
  bool row = false;
  while (!row && lines.next()) {
    row = !without_blanks(lines.line()).empty() && lines.line()[0] != '#';
    HeadLine line = row ? HeadLine() : parse_head(lines.line());
    if (line.number == 0) continue;
    const std::size_t last = layout.columns.size();
    if (line.number <= last || line.number > most_described_columns || (last == 0 && line.number > 1)) {
      throw lines.error("column " + line.head.name + " has the number " + std::to_string(line.number) + " after " +
                        std::to_string(last) + ": the numbers of SExtractor's ASCII_HEAD begin with 1 and increase");
    }
    widen_last_column(layout, line.number - 1);
    layout.columns.push_back({std::move(line.head), line.number - 1, FieldType::any, {}});
  }
  if (layout.columns.empty()) {
    throw lines.error(
        "no line such as `#   1 NUMBER   Running object number` names a column: this is no ASCII_HEAD "
        "catalogue of SExtractor; write one with CATALOG_TYPE ASCII_HEAD");
  }
  if (row) read_width(lines, layout);
  layout.fields = layout.columns.size();
  check_names(layout, lines);
  std::erase_if(layout.columns, is_picture);
  if (layout.columns.empty()) throw lines.error("the table has no column but cut-outs");
  return layout;
}

}  // namespace

std::vector<ColumnHead> ascii_head_columns(const std::string& path) {
  return text_columns(path, ascii_head_layout);
}

Table read_ascii_head(const TableFile& file, const std::vector<std::size_t>& columns) {
  return read_text_table(file, columns, ascii_head_layout);
}

}  // namespace srcextract
