#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "scripts/config_documents/column_notes.hpp"
#include "stages/catalogue/vignet_column.hpp"

namespace srcextract::documents {
namespace {

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

struct ColumnRow {
  Column column;
  ColumnNote note;
  std::string type, group;
};

/// All columns in the order of the catalogue.
std::vector<ColumnRow> column_rows() {
  std::vector<ColumnRow> rows;
  for (const DeclaredColumn& one : declared_columns())
    rows.push_back({one.column, note_of(one.column.name, one.needs),
                    type_word(one.type) + std::string(one.repeated ? "[*n*]" : ""), one.group});
  rows.push_back({vignet_column, note_of(vignet_column.name, {}), "float32[*h*,*w*]", "cut-outs"});
  return rows;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += cell.empty() ? " |" : " " + cell + " |";
  return text + "\n";
}

/// Meaning and unit of the columns of a group.
std::string group_table(const std::vector<ColumnRow>& rows, const std::string& group) {
  std::string text = "\n### " + group + "\n\n" + table_row({"Column", "Unit", "Definition"}) + "|---|---|---|\n";
  for (const auto& [column, note, type, its_group] : rows)
    if (its_group == group)
      text += table_row({as_code(column.name), shown_unit(column),
                         note.definition + (note.source.empty() ? "" : ". *" + note.source + "*")});
  return text;
}

std::string type_table(const std::vector<ColumnRow>& rows) {
  std::string text = "\n### Types and UCDs\n\n" + table_row({"Column", "Type", "UCD"}) + "|---|---|---|\n";
  for (const ColumnRow& row : rows) text += table_row({as_code(row.column.name), row.type, row.column.ucd});
  return text;
}

/// Columns that differ from SExtractor's of their name, or that SEP or photutils has.
std::string other_programs_table(const std::vector<ColumnRow>& rows) {
  const auto or_none = [](const std::string& cell) { return cell.empty() ? std::string("—") : cell; };
  std::string text =
      "\n### In other programs\n\nA column without a row here is SExtractor's of its name, and neither " +
      std::string("SEP nor photutils has it.\n\n") + table_row({"Column", "SExtractor", "SEP", "photutils"}) +
      "|---|---|---|---|\n";
  for (const auto& [column, note, type, group] : rows)
    if (note.sextractor != same || !note.sep.empty() || !note.photutils.empty())
      text += table_row({as_code(column.name), or_none(in_sextractor(note)), or_none(as_code(note.sep)),
                         or_none(as_code(note.photutils))});
  return text;
}

}  // namespace

std::string column_table() {
  const std::vector<ColumnRow> rows = column_rows();
  std::vector<std::string> groups;
  for (const ColumnRow& row : rows)
    if (std::ranges::find(groups, row.group) == groups.end()) groups.push_back(row.group);
  std::string text;
  for (const std::string& group : groups) text += group_table(rows, group);
  return text + type_table(rows) + other_programs_table(rows) + "\n";
}

}  // namespace srcextract::documents
