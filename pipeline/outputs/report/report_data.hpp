#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/outputs/completeness/completeness.hpp"
#include "pipeline/outputs/injection/injection.hpp"
#include "pipeline/outputs/report/report_columns.hpp"
#include "pipeline/outputs/report/report_pictures.hpp"

namespace srcextract {

/// The input from which the numbers of a report are computed.
struct ReportFacts {
  const Extraction& extraction;
  const Config& config;
  const std::vector<ReportColumn>& columns;
  const ReportLight& light;
  const ReportPictures& pictures;
  std::string name, pixel_unit;
  bool has_threshold = true;                   ///< false: measured at given positions
  const Completeness* completeness = nullptr;  ///< null: not asked for
  const Injection* injection = nullptr;        ///< the same for a radio map
};

/// The numbers that the script of a report draws, as JSON that may stand in a <script> element.
struct ReportData {
  std::string json;
  std::size_t rows = 0;  ///< number of sources in the JSON's table of rows: the brightest ones
};

/// Makes the numbers of a report. The JSON takes about `most_bytes` at most, but never less than its size without rows.
ReportData report_data(const ReportFacts& facts, std::size_t most_bytes, const Cpu& where);

/// The columns of the short table, as indices of `columns`.
std::vector<std::size_t> short_columns(const std::vector<ReportColumn>& columns);

/// A value as JSON: null for NaN, text for an infinity.
std::string json_number(const ReportColumn& column, double value);

}  // namespace srcextract
