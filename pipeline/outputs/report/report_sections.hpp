#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/outputs/report/report_columns.hpp"
#include "pipeline/outputs/report/report_pictures.hpp"
#include "pipeline/outputs/run_record.hpp"

namespace srcextract {

/// The parts of a report that are plain HTML, from escaped texts.
std::string summary_html(const RunRecord& record, const std::string& pixel_unit);
/// The image, its header, its sky and the run, as rows of a table.
std::string facts_html(const RunRecord& record, const std::string& pixel_unit);
std::string times_html(const std::vector<StepTime>& times);
/// The section about completeness: its limits, a plot for the script, and a table.
std::string completeness_html(const Completeness& completeness);
/// A table with the first `rows` of the brightest sources.
std::string table_html(const std::vector<ReportColumn>& columns, const ReportLight& light, std::size_t rows);
/// A map, the picture with its range; a map of one value is told in words.
std::string map_html(const std::string& title, const ReportPicture& picture, const std::string& pixel_unit,
                     bool is_flat_in_words = true);

}  // namespace srcextract
