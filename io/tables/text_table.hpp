#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/files/text_lines.hpp"
#include "io/tables/column_builder.hpp"
#include "io/tables/table_file.hpp"
#include "io/tables/text_fields.hpp"

namespace srcextract {

// Shared parts of the text formats: a header describes the columns, and every later line is a row.

/// Layout of a text table, from its header.
struct TextLayout {
  struct Column {
    ColumnHead head;
    std::size_t field = 0;  ///< index of its field in a row
    FieldType type = FieldType::any;
    std::string type_name;    ///< type name in the file
    std::size_t length = 0;   ///< length of the list in the field; 0: no list
    std::size_t element = 0;  ///< index in the list
  };
  std::vector<Column> columns;
  std::size_t fields = 0;  ///< fields per row, including ignored ones
  char delimiter = ' ';
  bool at_tabs = true;    ///< with a blank delimiter, tabs separate too
  bool comments = false;  ///< lines that begin with # are comments
};

/// Reads the header; the next line is the first row.
using ReadLayout = TextLayout (*)(TextLines& lines);
TextLayout csv_layout(TextLines& lines);
TextLayout ecsv_layout(TextLines& lines);

/// Moves to the next row, skipping other lines; false at the end of the file.
bool next_row(TextLines& lines, const TextLayout& layout);

/// Throws Error{input} if the row has another number of fields than the header.
void require_fields(std::size_t fields, const TextLayout& layout, const TextLines& lines);

/// Calls on_field(index, text) for every field of the row, and then require_fields.
template <class OnField>
void split_row(TextLines& lines, const TextLayout& layout, FieldSplitter& splitter, const OnField& on_field) {
  require_fields(splitter.split(lines, on_field), layout, lines);
}

/// Throws Error{input} for two columns of one name, or a name with a line end. `lines` is at the header.
void check_names(const TextLayout& layout, const TextLines& lines);

std::vector<ColumnHead> text_columns(const std::string& path, ReadLayout read_layout);

/// Implements read_table. If columns of numbers turn out to contain text, it reads the file again for these columns.
Table read_text_table(const TableFile& file, const std::vector<std::size_t>& columns, ReadLayout read_layout);

}  // namespace srcextract
