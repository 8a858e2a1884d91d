#include <string>
#include <string_view>

#include "scripts/config_documents/column_notes.hpp"
#include "stages/catalogue/vignet_column.hpp"

namespace srcextract::documents {
namespace {

constexpr const char* column_table_head =
    "| Column | Definition | Unit | Type | Groups | UCD | Source | SExtractor | SEP | photutils |\n"
    "|---|---|---|---|---|---|---|---|---|---|\n";

const char* type_word(ColumnType type) {
  switch (type) {
    case ColumnType::int16:
      return "int16";
    case ColumnType::int32:
      return "int32";
    case ColumnType::int64:
      return "int64";
    case ColumnType::float64:
      return "float64";
  }
  return "";
}

std::string shown_unit(const Column& column) {
  if (column.unit == std::string_view(pixel_value_unit)) return "*unit of the pixels*";
  return column.unit == std::string_view(pixel_sum_unit) ? "*unit of sums*" : column.unit;
}

std::string as_code(const std::string& name) {
  return name.empty() ? "" : "`" + name + "`";
}

/// The table cell about SExtractor: the column's name there as code, then a colon and the difference, if there is one.
std::string in_sextractor(const ColumnNote& note) {
  if (note.sextractor == same) return as_code(note.name);
  const std::size_t end = std::min(note.sextractor.find_first_of(":;"), note.sextractor.size());
  return as_code(note.sextractor.substr(0, end)) + note.sextractor.substr(end);
}

std::string column_row(const Column& column, const std::string& type, const std::string& group,
                       const ColumnNeeds& needs) {
  const ColumnNote note = note_of(column.name, needs);
  std::string text = "|";
  const auto cell = [&](const std::string& words) { text += words.empty() ? " |" : " " + words + " |"; };
  cell(as_code(column.name));
  cell(note.definition);
  cell(shown_unit(column));
  cell(type);
  cell(as_code(group));
  cell(column.ucd);
  cell(note.source);
  cell(in_sextractor(note));
  cell(as_code(note.sep));
  cell(as_code(note.photutils));
  return text + "\n";
}

}  // namespace

std::string column_table() {
  std::string text = column_table_head;
  for (const DeclaredColumn& one : declared_columns())
    text +=
        column_row(one.column, type_word(one.type) + std::string(one.repeated ? "[*n*]" : ""), one.group, one.needs);
  return text + column_row(vignet_column, "float32[*h*,*w*]", "", {});
}

}  // namespace srcextract::documents
