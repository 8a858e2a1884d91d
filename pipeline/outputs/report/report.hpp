#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/run_record.hpp"

namespace srcextract {

/// Makes the report of an image: one HTML page that needs neither other files nor a network. The page has the image
/// with the sources, the brightest catalogue rows, maps of sky, noise and residual, plots, times, warnings and the
/// configuration. The extraction must have been made with output.report. Text from headers and file names is escaped.
std::string make_report(const RunRecord& record, const CatalogMetadata& metadata);

/// Writes the page of make_report(); the caller commits the file. Throws Error{output} or Error{storage}.
[[nodiscard]] OutputFile write_report(const std::string& path, const RunRecord& record,
                                      const CatalogMetadata& metadata);

}  // namespace srcextract
