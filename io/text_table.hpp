#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/column_builder.hpp"
#include "io/table.hpp"
#include "io/text_lines.hpp"

namespace srcextract {

// What the tables in text have in common: a header says what the columns are, and every line after it is a row.

/// A table in text as its header has it.
struct TextLayout {
  struct Column {
    ColumnHead head;
    std::size_t field = 0;  ///< its place in a row
    FieldType type = FieldType::any;
    std::string type_name;  ///< as the file calls it
  };
  std::vector<Column> columns;
  std::size_t fields = 0;  ///< of a row, with those that are no column of ours
  char delimiter = ' ';
  bool comments = false;  ///< lines that begin with # are no rows
};

/// Reads the header: the next line is the first row.
using ReadLayout = TextLayout (*)(TextLines& lines);

/// Two columns of one name, or a name that holds an end of line, is an Error{input}. `lines` is where the header is.
void check_names(const TextLayout& layout, const TextLines& lines);

std::vector<ColumnHead> text_columns(const std::string& path, ReadLayout read_layout);

/// As read_table. Reads the file once more, and of it those columns only, if some turn out to be text after numbers.
Table read_text_table(const std::string& path, const std::vector<std::size_t>& columns, ReadLayout read_layout);

}  // namespace srcextract
