#include <algorithm>
#include <nlohmann/json.hpp>

#include "config/rules_fields.hpp"
#include "pipeline/compare/compare_machine.hpp"
#include "pipeline/machine/versions.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"scatter", spread.scatter}};
}

Json trend_json(const Trend& trend) {
  return {{"slope", trend.slope}, {"error", trend.error}, {"effect", trend.effect}, {"sigma", trend.significance}};
}

Json deviation_json(const Deviation& deviation) {
  return {{"share", deviation.share},
          {"deviation", deviation.deviation},
          {"error", deviation.error},
          {"sigma", deviation.significance}};
}

Json cell_json(const Deviation& cell) {
  Json json = {{"x", {cell.part.low_x, cell.part.high_x}}, {"y", {cell.part.low_y, cell.part.high_y}}};
  json.update(deviation_json(cell));
  return json;
}

Json offender_json(const Offender& row) {
  return {{"new_row", row.new_row},
          {"reference_row", row.reference_row},
          {"x", row.x},
          {"y", row.y},
          {"new", row.other},
          {"reference", row.reference},
          {"difference", row.difference}};
}

template <class T, class ToJson>
Json array_json(const std::vector<T>& items, ToJson to_json) {
  Json json = Json::array();
  for (const T& item : items) json.push_back(to_json(item));
  return json;
}

Json column_json(const ColumnComparison& column) {
  return {{"name", column.name},
          {"unit", column.unit},
          {"difference", names_of(column.difference)[static_cast<std::size_t>(column.difference)]},
          {"pairs", column.pairs},
          {"values_lost", column.values_lost},
          {"values_gained", column.values_gained},
          {"absolute", spread_json(column.absolute)},
          {"relative", spread_json(column.relative)},
          {"in_sigma", spread_json(column.in_sigma)},
          {"location",
           {{"mean", column.location.mean}, {"error", column.location.error}, {"sigma", column.location.significance}}},
          {"outliers", column.outliers},
          {"with_flux", trend_json(column.with_flux)},
          {"with_x", trend_json(column.with_x)},
          {"with_y", trend_json(column.with_y)},
          {"bright_end", deviation_json(column.bright_end)},
          {"parts_of_the_field", array_json(column.cells, cell_json)},
          {"worst", array_json(column.worst, offender_json)}};
}

Json sources_json(const SourceComparison& sources) {
  return {{"reference", sources.reference},
          {"new", sources.other},
          {"matched", sources.matched},
          {"lost", sources.lost},
          {"gained", sources.gained},
          {"reference_duplicates", sources.reference_duplicates},
          {"new_duplicates", sources.new_duplicates},
          {"reference_without_position", sources.reference_nowhere},
          {"new_without_position", sources.new_nowhere}};
}

Json finding_json(const Finding& finding) {
  return {{"subject", finding.subject}, {"words", finding.words}};
}

Json file_json(const FileComparison& file) {
  Json json = {{"name", file.name},
               {"reference", file.reference},
               {"new", file.other},
               {"verdict", file.within() ? "within" : "beyond"}};
  if (!file.failure.empty()) {
    json["failure"] = file.failure;
    return json;
  }
  const Comparison& comparison = file.comparison;
  json["findings"] = array_json(comparison.findings, finding_json);
  json["notes"] = comparison.notes;
  json["matched_by"] = comparison.frame == Frame::pixel ? "pixel" : "sky";
  json["same_pixels"] = comparison.same_image;
  json["sources"] = sources_json(comparison.sources);
  json["columns"] = array_json(comparison.columns, column_json);
  return json;
}

}  // namespace

std::string format_json(const std::vector<FileComparison>& files, const CompareRules& rules) {
  const bool within = std::all_of(files.begin(), files.end(), [](const FileComparison& file) { return file.within(); });
  const Json json = {{"program", {{"name", "srcextract"}, {"version", program_version()}}},
                     {"verdict", within ? "within" : "beyond"},
                     {"rules", dump_rules(rules)},
                     {"files", array_json(files, file_json)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace srcextract
