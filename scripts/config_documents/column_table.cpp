#include "scripts/config_documents/column_table.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

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

FurtherValues no_values(ColumnType type) {
  if (type == ColumnType::int16) return std::vector<std::int16_t>();
  if (type == ColumnType::int32) return std::vector<std::int32_t>();
  if (type == ColumnType::int64) return std::vector<std::int64_t>();
  return std::vector<double>();
}

/// A catalogue that has every column, and no rows.
Sources every_column() {
  Sources all;
  all.map_flags.emplace_back();
  all.analysed = all.deblended = all.has_sign = all.sky = true;
  for (const MeasuredColumn& measured : measured_columns())
    all.further.push_back({measured.column, measured.column.name, no_values(measured.type)});
  return all;
}

std::string shown_unit(const Column& column) {
  if (column.unit == std::string_view(pixel_value_unit)) return "*unit of the pixels*";
  return column.unit == std::string_view(pixel_sum_unit) ? "*unit of sums*" : column.unit;
}

std::string as_code(const std::string& name) {
  return name.empty() ? "" : "`" + name + "`";
}

/// `NAME`: what is another there.
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
  const Sources all = every_column();
  for_each_column(all, [&]<class T>(const Column& column, const std::vector<T>&) {
    const auto declared = measured_columns();
    const auto found = std::ranges::find_if(
        declared, [&](const MeasuredColumn& one) { return one.column.name == std::string_view(column.name); });
    const bool asked_for = found != declared.end();
    const std::string vector = asked_for && found->repeated ? "[*n*]" : "";
    text += column_row(column, type_word(column_type<T>()) + vector, asked_for ? found->group : "default",
                       asked_for ? found->needs : ColumnNeeds{});
  });
  return text + column_row(vignet_column, "float32[*h*,*w*]", "", {});
}

}  // namespace srcextract::documents
