#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/files/text_lines.hpp"
#include "io/tables/column_builder.hpp"
#include "io/tables/table_file.hpp"
#include "io/tables/text_fields.hpp"

namespace srcextract {

// Functions that the readers of text formats share. In these formats a header describes the columns, and every later
// line is a row.

struct TextLayout {
  struct Column {
    ColumnHead head;
    std::size_t field = 0;  ///< index of the field of a row that holds the column
    FieldType type = FieldType::any;
    std::string type_name;    ///< name of the type in the file, for messages
    std::size_t length = 0;   ///< length of the list that the field holds; 0 if the field is no list
    std::size_t element = 0;  ///< index of the column's value in that list
  };
  std::vector<Column> columns;
  std::size_t fields = 0;  ///< fields per row, including those of columns that are left out
  char delimiter = ' ';
  bool at_tabs = true;    ///< if the delimiter is a blank, tabs separate fields too
  bool comments = false;  ///< lines that begin with # are comments, not rows
};

/// Reads the header. The next line after that is the first row.
using ReadLayout = TextLayout (*)(TextLines& lines);
TextLayout csv_layout(TextLines& lines);
TextLayout ecsv_layout(TextLines& lines);

/// Moves to the next row, skipping blank lines and comments. Returns false at the end of the file.
bool next_row(TextLines& lines, const TextLayout& layout);

/// Throws Error{input} if `fields`, the number of fields in the row, differs from that of the header.
void require_fields(std::size_t fields, const TextLayout& layout, const TextLines& lines);

/// Calls on_field(index, text) for every field of the row, and then require_fields().
template <class OnField>
void split_row(TextLines& lines, const TextLayout& layout, FieldSplitter& splitter, const OnField& on_field) {
  require_fields(splitter.split(lines, on_field), layout, lines);
}

/// Throws Error{input} if two columns have the same name, or if a name contains a line end. The message has the current
/// line of `lines`.
void check_names(const TextLayout& layout, const TextLines& lines);

std::vector<ColumnHead> text_columns(const std::string& path, ReadLayout read_layout);

/// Reads a table, as read_table() does. If a column mixes numbers with text, or has integers beyond 64 bits, the file
/// is read again for this column.
Table read_text_table(const TableFile& file, const std::vector<std::size_t>& columns, ReadLayout read_layout);

}  // namespace srcextract
