#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/outputs/completeness/completeness.hpp"
#include "pipeline/outputs/injection/injection.hpp"
#include "pipeline/outputs/report/report_pictures.hpp"
#include "pipeline/outputs/report_columns.hpp"

namespace srcextract {

/// Results of one image, from which the numbers of a report are computed.
struct ReportFacts {
  const Extraction& extraction;
  const Config& config;
  const std::vector<ReportColumn>& columns;
  const ReportLight& light;
  const ReportPictures& pictures;
  std::string name, pixel_unit;
  bool has_threshold = true;                   ///< false if light was measured at given positions without detection
  const Completeness* completeness = nullptr;  ///< null if not requested
  const Injection* injection = nullptr;  ///< results of injecting Gaussians into a radio map; null if not requested
  std::string header = {};               ///< the image's, for the scale and the compass
};

/// The numbers that the script of a report draws, as JSON that is safe inside a <script> element.
struct ReportData {
  std::string json;
  std::size_t rows = 0;  ///< number of sources in the JSON's table of rows, which has the brightest sources
};

/// Makes the numbers of a report. The table of rows is shortened so that the JSON has about `most_bytes` bytes at most.
ReportData report_data(const ReportFacts& facts, std::size_t most_bytes, const Cpu& where);

/// The columns of the short table on the page, as indices of `columns`.
std::vector<std::size_t> short_columns(const std::vector<ReportColumn>& columns);

/// A value of the column as JSON: null for NaN, "inf" or "-inf" for an infinity.
std::string json_number(const ReportColumn& column, double value);

}  // namespace srcextract
