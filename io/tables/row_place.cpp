#include "io/tables/row_place.hpp"

#include "io/tables/text_table.hpp"

namespace srcextract {

std::string place_of_row(const TableFile& file, std::int64_t row) {
  if (file.format == TableFormat::csv || file.format == TableFormat::ecsv) {
    TextLines lines(file.path);
    const TextLayout layout = file.format == TableFormat::csv ? csv_layout(lines) : ecsv_layout(lines);
    FieldSplitter splitter(layout.delimiter, layout.at_tabs);
    for (std::int64_t passed = 0; next_row(lines, layout); ++passed) {
      if (passed == row) return "line " + std::to_string(lines.number());
      splitter.split(lines, [](std::size_t, std::string_view) {});  // a quoted field may continue on the next line
    }
  }
  return "row " + std::to_string(row + 1);
}

}  // namespace srcextract
