#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/files/text_lines.hpp"
#include "io/tables/column_builder.hpp"
#include "io/tables/table.hpp"
#include "io/tables/text_fields.hpp"

namespace srcextract {

// What the tables in text have in common: a header says what the columns are, and every line after it is a row.

/// A table in text as its header has it.
struct TextLayout {
  struct Column {
    ColumnHead head;
    std::size_t field = 0;  ///< its place in a row
    FieldType type = FieldType::any;
    std::string type_name;    ///< as the file calls it
    std::size_t length = 0;   ///< of the list in that field; 0 where there is none
    std::size_t element = 0;  ///< of that list
  };
  std::vector<Column> columns;
  std::size_t fields = 0;  ///< of a row, with those that are no column of ours
  char delimiter = ' ';
  bool at_tabs = true;    ///< where that is a blank, a tab is one, too
  bool comments = false;  ///< lines that begin with # are no rows
};

/// Reads the header: the next line is the first row.
using ReadLayout = TextLayout (*)(TextLines& lines);
TextLayout csv_layout(TextLines& lines);
TextLayout ecsv_layout(TextLines& lines);

/// Goes on to the next row, past lines that are none; false at the end of the file.
bool next_row(TextLines& lines, const TextLayout& layout);

/// A row that has not as many fields as the header is an Error{input}.
void require_fields(std::size_t fields, const TextLayout& layout, const TextLines& lines);

/// Calls on_field(index, text) for every field of the row, and then require_fields.
template <class OnField>
void split_row(TextLines& lines, const TextLayout& layout, FieldSplitter& splitter, const OnField& on_field) {
  require_fields(splitter.split(lines, on_field), layout, lines);
}

/// Two columns of one name, or a name that holds an end of line, is an Error{input}. `lines` is where the header is.
void check_names(const TextLayout& layout, const TextLines& lines);

std::vector<ColumnHead> text_columns(const std::string& path, ReadLayout read_layout);

/// As read_table. Reads the file once more, and of it those columns only, if some turn out to be text after numbers.
Table read_text_table(const TableFile& file, const std::vector<std::size_t>& columns, ReadLayout read_layout);

}  // namespace srcextract
