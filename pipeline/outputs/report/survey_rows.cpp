#include "pipeline/outputs/report/survey_rows.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <variant>

#include "io/files/xml_text.hpp"
#include "pipeline/log/printable.hpp"
#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/report/survey_plots.hpp"
#include "stages/core/ascii.hpp"
#include "survey/merge/merge_images.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_images = 2000, most_reason = 200, most_keyword = 80, most_link_bytes = 2000;

/// Header keywords that become columns of the table if an image in the table has the keyword.
constexpr const char* shown_keywords[] = {"OBJECT", "FILTER", "EXPTIME", "DATE-OBS"};

struct ShownCell {
  std::string text;  ///< a text, or a number in JSON syntax
  bool is_text = false;

  std::string json() const { return is_text ? json_text(text) : text; }
  std::string html() const { return text == "null" && !is_text ? "–" : xml_text(text); }
};

struct ShownColumn {
  std::string name, unit, description;
  bool is_text = false;
};

struct ShownRow {
  std::vector<ShownCell> cells;
  std::string link;  ///< address of the image's report; empty: none
};

/// The relative URL of a path: all bytes except letters, digits and -._~/ are percent-encoded.
std::string address_of(const fs::path& path) {
  std::string address;
  for (const char c : path.generic_string()) {
    const bool is_plain = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_plain || std::string_view("-._~/").find(c) != std::string_view::npos)
      address += c;
    else
      address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

/// Makes links from the page of the survey to the reports of the images.
class Links {
 public:
  explicit Links(const SurveyFacts& facts) : facts_(facts) {
    std::error_code unknown;
    const fs::path parent = fs::path(facts.page).parent_path();
    from_ = fs::weakly_canonical(parent.empty() ? "." : parent, unknown);
  }

  /// The URL of an image's report; empty if there is no report or the URL is too long.
  std::string to(const SurveyImage& image) const {
    std::error_code unknown;
    for (const auto& [path, bytes] : image.record.outputs) {
      if (!path.ends_with(".report.html")) continue;
      const fs::path page = fs::path(facts_.directories[image.directory]) / path;
      if (!fs::is_regular_file(page, unknown)) continue;
      std::string address = address_of(fs::weakly_canonical(page, unknown).lexically_relative(from_));
      if (address.size() <= most_link_bytes) return address;
    }
    return "";
  }

 private:
  const SurveyFacts& facts_;
  fs::path from_;
};

ShownCell number_cell(double value) {
  return {short_number(value, 6)};
}

ShownCell whole_cell(std::int64_t value) {
  return {std::to_string(value)};
}

ShownCell text_cell(std::string text, std::size_t most) {
  return {shortened(std::move(text), most), true};
}

ShownCell keyword_cell(const KeywordValue* value) {
  if (value == nullptr) return {"null"};
  if (const auto* const real = std::get_if<double>(value)) return number_cell(*real);
  const bool is_number = std::holds_alternative<std::int64_t>(*value);
  return is_number ? ShownCell{value_text(*value)} : text_cell(printable(value_text(*value)), most_keyword);
}

/// Makes the columns and the cells of the table of images.
class ImageTable {
 public:
  ImageTable(const SurveyFacts& facts, const SurveyNumbers& numbers, const std::vector<Distance>& distances,
             const std::vector<std::size_t>& shown)
      : facts_(facts), numbers_(numbers), distances_(distances), has_units_(numbers.units.size() > 1) {
    for (const char* const keyword : shown_keywords) {
      const auto has = [&](std::size_t i) { return value_in(facts.headers[i], keyword) != nullptr; };
      if (std::ranges::any_of(shown, has)) keywords_.emplace_back(keyword);
    }
  }

  std::vector<ShownColumn> columns() const {
    const std::string unit = numbers_.units.size() == 1 ? numbers_.units.front() : "";
    std::vector<ShownColumn> columns = {
        {"No.", "", "Place of the image in IMAGES"}, {"IMAGE", "", "Name, with the HDU where a file has several", true},
        {"STATUS", "", "done, or failed", true},     {"SOURCES", "", "Number of sources"},
        {"BACKGROUND", unit, "Level of the sky"},    {"SIGMA", unit, "Noise of the sky"}};
    if (has_units_) columns.push_back({"UNIT", "", "Unit of level and noise", true});
    columns.push_back({"Distance", "σ", "Distance from the median of the images"});
    columns.push_back({"in", "", "The column in which the image is so far away", true});
    columns.push_back({"WIDTH", "pixel", "Pixels along x"});
    columns.push_back({"HEIGHT", "pixel", "Pixels along y"});
    for (const std::string& keyword : keywords_) {
      std::string name = keyword;
      std::ranges::replace(name, '-', '_');
      columns.push_back({name, "", keyword + " in the header of the image", keyword != "EXPTIME"});
    }
    if (numbers_.failed > 0) columns.push_back({"REASON", "", "Why it failed", true});
    return columns;
  }

  std::vector<ShownCell> cells(std::size_t i, const ImageRecord& record) const {
    const auto if_done = [&](const ShownCell& cell) { return record.done ? cell : ShownCell{"null"}; };
    const Distance& distance = distances_[i];
    std::vector<ShownCell> cells = {
        whole_cell(static_cast<std::int64_t>(i) + 1), text_cell(image_text(record), most_name_bytes),
        {record.done ? "done" : "failed", true},      if_done(whole_cell(record.sources)),
        if_done(number_cell(record.background)),      if_done(number_cell(record.sigma))};
    if (has_units_) cells.push_back(if_done(text_cell(printable(facts_.unit_of(i)), most_keyword)));
    cells.push_back(if_done({short_number(distance.sigmas, 3)}));
    cells.push_back(if_done(distance.sigmas > 0 ? ShownCell{column_of(distance.of), true} : ShownCell{"null"}));
    cells.push_back(if_done(whole_cell(record.width)));
    cells.push_back(if_done(whole_cell(record.height)));
    const ImageHeader header = facts_.headers[i];
    for (const std::string& keyword : keywords_) cells.push_back(keyword_cell(value_in(header, keyword)));
    if (numbers_.failed > 0)
      cells.push_back(record.done ? ShownCell{"null"} : text_cell(printable(record.reason), most_reason));
    return cells;
  }

 private:
  const SurveyFacts& facts_;
  const SurveyNumbers& numbers_;
  const std::vector<Distance>& distances_;
  bool has_units_;
  std::vector<std::string> keywords_;
};

std::string head_html(const std::vector<ShownColumn>& columns) {
  std::string html = "<thead><tr>";
  for (const ShownColumn& column : columns)
    html += head_cell(column.name, column.unit, column.description, column.is_text);
  return html + "</tr></thead>\n";
}

std::string row_html(const ShownRow& row) {
  std::string html = "<tr>";
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const ShownCell& cell = row.cells[i];
    const std::string text = cell.html();
    const bool is_link = i == 1 && !row.link.empty();
    html += cell.is_text ? "<td class=\"text\">" : "<td>";
    html += is_link ? "<a href=\"" + row.link + "\">" + text + "</a>" : text;
    html += "</td>";
  }
  return html + "</tr>\n";
}

std::string columns_json(const std::vector<ShownColumn>& columns) {
  std::string json;
  for (const auto& [name, unit, description, is_text] : columns)
    json += fmt::format("{}[{},{},{},{}]", json.empty() ? "" : ",", json_text(name), json_text(unit),
                        json_text(description), is_text);
  return "[" + json + "]";
}

std::string row_json(const ShownRow& row) {
  std::string json;
  for (const ShownCell& cell : row.cells) json += (json.empty() ? "[" : ",") + cell.json();
  return json + "]";
}

}  // namespace

SurveyRows survey_rows(const SurveyFacts& facts, const SurveyNumbers& numbers, double first_ra, std::size_t plain_rows,
                       std::size_t most_bytes) {
  const std::vector<Distance> distances = distances_of(numbers);
  const std::vector<std::size_t> shown = images_that_stand_out(numbers, distances, most_images);
  const ImageTable table(facts, numbers, distances, shown);
  const Links links(facts);
  const std::vector<ShownColumn> columns = table.columns();
  SurveyRows rows;
  rows.html = head_html(columns) + "<tbody id=\"rows\">\n";
  rows.columns = columns_json(columns);
  for (const std::size_t i : shown) {
    const SurveyImage image = facts.images[i];
    const ShownRow row{table.cells(i, image.record), links.to(image)};
    const SkyPlace& place = facts.places[i];
    const std::string comma = rows.count == 0 ? "" : ",";
    const std::string values = comma + row_json(row), link = comma + (row.link.empty() ? "null" : json_text(row.link));
    const std::string sky =
        comma + (place.is_known() ? fmt::format("[{:.7g},{:.6g}]", turned_ra(place.ra, first_ra), place.dec) : "null");
    const std::size_t bytes = rows.rows.size() + rows.links.size() + rows.sky.size();
    if (bytes + values.size() + link.size() + sky.size() > most_bytes) break;
    rows.rows += values;
    rows.links += link;
    rows.sky += sky;
    if (rows.count++ < plain_rows) rows.html += row_html(row);
    rows.failed += !image.record.done;
  }
  rows.html += "</tbody>\n";
  return rows;
}

}  // namespace srcextract
