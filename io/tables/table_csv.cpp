#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/tables/table_formats.hpp"
#include "io/tables/text_fields.hpp"
#include "io/tables/text_table.hpp"

namespace srcextract {
namespace {

/// Largest number of columns. A column takes about 700 bytes of memory, but only one comma in the file, or 0.001 byte
/// if the file is gzipped.
constexpr std::size_t most_columns = 200'000;

bool is_number(std::string_view field) {
  double value = 0;
  if (field.size() > 1 && field[0] == '+') field.remove_prefix(1);
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return stop == field.data() + field.size() && error != std::errc::invalid_argument;
}

/// Throws Error{input} if the header is separated by semicolons or tabs. In locales with a decimal comma, programs
/// write such files and call them CSV.
void require_commas(const TextLines& lines) {
  const std::string_view header = lines.line();
  const std::size_t separator = header.find_first_of(";\t");
  if (header.find(',') != header.npos || separator == header.npos) return;
  throw lines.error(std::string("the separator seems to be ") + (header[separator] == ';' ? "';'" : "a tab") +
                    ", and CSV wants commas; write the table again with commas between the fields");
}

}  // namespace

TextLayout csv_layout(TextLines& lines) {
  bool found = lines.next();
  if (!found) throw lines.error("the file is empty; fetch or make it again");
  while (found && (without_blanks(lines.line()).empty() || lines.line()[0] == '#')) found = lines.next();
  if (!found) throw lines.error("the file ends before a line with the names of the columns, separated by commas");

  require_commas(lines);
  TextLayout layout;
  layout.delimiter = ',';
  bool all_numbers = true;
  layout.fields = FieldSplitter(',').split(lines, [&](std::size_t index, std::string_view name) {
    if (index >= most_columns) {
      throw lines.error("the line names more than " + std::to_string(most_columns) + " columns; is this a catalogue?");
    }
    all_numbers = all_numbers && is_number(name);
    TextLayout::Column& column = layout.columns.emplace_back();
    // Programs that write a column of row numbers often give that column no name.
    column.head.name = name.empty() ? "col" + std::to_string(index + 1) : std::string(name);
    column.field = index;
  });
  if (all_numbers) {
    throw lines.error(
        "the first line has numbers where the names of the columns belong; put them there, without a # before them");
  }
  check_names(layout, lines);
  return layout;
}

std::vector<ColumnHead> csv_columns(const std::string& path) {
  return text_columns(path, csv_layout);
}

Table read_csv(const TableFile& file, const std::vector<std::size_t>& columns) {
  return read_text_table(file, columns, csv_layout);
}

}  // namespace srcextract
