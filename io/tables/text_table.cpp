#include "io/tables/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "io/tables/table_room.hpp"
#include "io/tables/text_lists.hpp"

namespace srcextract {
namespace {

/// Number of rows after which the number of all rows is estimated, from the length of these rows and the size of the
/// file.
constexpr std::int64_t rows_to_guess_from = 1000;

/// A column that the caller wants, and the values read so far.
struct Wanted {
  const TextLayout::Column* column;
  std::size_t place;  ///< index of the column in the result
  ColumnBuilder values;

  std::int64_t bytes_with(std::int64_t more) const { return values.bytes_with(more); }
};

/// Returns the columns to be read, in the order in which a row holds them. With `as_text`, all are read as text.
std::vector<Wanted> wanted_columns(const TextLayout& layout, const std::vector<std::size_t>& columns, bool as_text,
                                   const TextLines& lines) {
  std::vector<Wanted> wanted;
  wanted.reserve(columns.size());
  for (std::size_t place = 0; place < columns.size(); ++place) {
    if (columns[place] >= layout.columns.size()) throw lines.error("the file has fewer columns than a moment ago");
    const TextLayout::Column& column = layout.columns[columns[place]];
    wanted.push_back({&column, place, ColumnBuilder(as_text ? FieldType::text : column.type)});
  }
  std::stable_sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) {
    return std::pair(a.column->field, a.column->element) < std::pair(b.column->field, b.column->element);
  });
  return wanted;
}

void make_room(std::vector<Wanted>& wanted, const TextLines& lines, std::int64_t rows) {
  const double bytes_per_row = static_cast<double>(lines.bytes_passed()) / static_cast<double>(rows);
  const double guess = std::ceil(1.02 * static_cast<double>(lines.file().stored_size()) / bytes_per_row);
  for (Wanted& column : wanted) column.values.reserve(static_cast<std::int64_t>(guess));
}

/// Adds the items of the list in a field to the columns of these items. In an empty field all items are missing.
/// Returns false if the field differs from the declared type.
bool add_elements(std::span<Wanted> wanted, std::string_view field) {
  if (field.empty()) {
    for (Wanted& element : wanted) element.values.add_missing();
    return true;
  }
  auto next = wanted.begin();
  std::size_t found = 0;
  const bool list = for_each_item(field, [&](std::size_t index, std::string_view item) {
    for (; next != wanted.end() && next->column->element == index; ++next)
      if (!next->values.add(item)) return false;
    found = index + 1;
    return true;
  });
  return list && found == wanted.front().column->length;
}

/// Adds a field to the columns that it holds. Returns false if the field differs from the declared type.
bool add_field(std::span<Wanted> wanted, std::string_view field) {
  if (wanted.front().column->length > 0) return add_elements(wanted, field);
  return std::ranges::all_of(wanted, [&](Wanted& column) { return column.values.add(field); });
}

/// Reads all rows, adds their fields to the columns `wanted`, and returns the number of rows.
std::int64_t read_rows(const TableFile& file, TextLines& lines, const TextLayout& layout, std::vector<Wanted>& wanted) {
  FieldSplitter splitter(layout.delimiter, layout.at_tabs);
  std::int64_t rows = 0;
  while (next_row(lines, layout)) {
    auto next = wanted.begin();
    split_row(lines, layout, splitter, [&](std::size_t index, std::string_view field) {
      const auto first = next;
      while (next != wanted.end() && next->column->field == index) ++next;
      if (first == next || add_field({first, next}, field)) return;
      const TextLayout::Column& column = *first->column;
      throw lines.error("column " + column.head.name + " is " + shown(field) + ", but the header says " +
                        column.type_name);
    });
    if (++rows == rows_to_guess_from) make_room(wanted, lines, rows);
    if (rows % rows_between_looks == 0) require_room_for_more(file, rows, wanted, rows_between_looks);
  }
  return rows;
}

/// Reads the columns into `table`. Returns the indices in `columns` of those that must be read again as text.
std::vector<std::size_t> read_columns(Table& table, const TableFile& file, const std::vector<std::size_t>& columns,
                                      ReadLayout read_layout, bool as_text) {
  TextLines lines(file.path);
  const TextLayout layout = read_layout(lines);
  std::vector<Wanted> wanted = wanted_columns(layout, columns, as_text, lines);
  table.rows = read_rows(file, lines, layout, wanted);
  table.columns.resize(columns.size());
  std::vector<std::size_t> again;
  for (Wanted& column : wanted) {
    auto values = column.values.finish();
    if (!values) again.push_back(column.place);
    const ColumnHead& head = column.column->head;
    table.columns[column.place] = {head.name, head.unit, head.ucd, head.description,
                                   values ? std::move(*values) : ColumnValues()};
  }
  return again;
}

}  // namespace

bool next_row(TextLines& lines, const TextLayout& layout) {
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (!without_blanks(line).empty() && !(layout.comments && line[0] == '#')) return true;
  }
  return false;
}

void require_fields(std::size_t fields, const TextLayout& layout, const TextLines& lines) {
  if (fields == layout.fields) return;
  throw lines.error("the row has " + std::to_string(fields) + " fields, but the header has " +
                    std::to_string(layout.fields) + " columns; the line is damaged, cut short, or lacks quotes");
}

void check_names(const TextLayout& layout, const TextLines& lines) {
  std::unordered_set<std::string_view> names;
  for (const TextLayout::Column& column : layout.columns) {
    const std::string& name = column.head.name;
    if (name.find_first_of("\r\n") != std::string::npos) {
      throw lines.error("the name of column " + shown(name) +
                        " goes over an end of line; end lines with LF or CRLF, and close quotes");
    }
    if (!names.insert(name).second) {
      throw lines.error("two columns are named " + shown(name) + "; it is unclear which one is meant; rename one");
    }
  }
}

std::vector<ColumnHead> text_columns(const std::string& path, ReadLayout read_layout) {
  TextLines lines(path);
  TextLayout layout = read_layout(lines);
  std::vector<ColumnHead> heads;
  heads.reserve(layout.columns.size());
  for (TextLayout::Column& column : layout.columns) heads.push_back(std::move(column.head));
  return heads;
}

Table read_text_table(const TableFile& file, const std::vector<std::size_t>& columns, ReadLayout read_layout) {
  Table table;
  const std::vector<std::size_t> again = read_columns(table, file, columns, read_layout, false);
  if (again.empty()) return table;
  std::vector<std::size_t> mixed;
  mixed.reserve(again.size());
  for (std::size_t place : again) mixed.push_back(columns[place]);
  Table text;
  read_columns(text, file, mixed, read_layout, true);
  if (text.rows != table.rows) {
    throw Error(ErrorKind::input, file.path + ": the file changed while it was read; do not write to it meanwhile");
  }
  for (std::size_t i = 0; i < again.size(); ++i) table.columns[again[i]] = std::move(text.columns[i]);
  return table;
}

std::string place_of_row(const TableFile& file, std::int64_t row) {
  if (file.format == TableFormat::csv || file.format == TableFormat::ecsv) {
    TextLines lines(file.path);
    const TextLayout layout = file.format == TableFormat::csv ? csv_layout(lines) : ecsv_layout(lines);
    FieldSplitter splitter(layout.delimiter, layout.at_tabs);
    for (std::int64_t passed = 0; next_row(lines, layout); ++passed) {
      if (passed == row) return "line " + std::to_string(lines.number());
      splitter.split(lines, [](std::size_t, std::string_view) {});  // moves past the lines of a quoted field
    }
  }
  return "row " + std::to_string(row + 1);
}

}  // namespace srcextract
