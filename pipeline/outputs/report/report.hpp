#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/run_record.hpp"

namespace srcextract {

/// The report of an image: one HTML page that needs no other file and no network. The page has the image with its
/// sources, the brightest rows of the catalogue, and maps of sky, noise and residual. Plots, times, warnings and the
/// configuration follow. The extraction must have been made with output.report. Text from headers and names is escaped.
std::string make_report(const RunRecord& record, const CatalogMetadata& metadata);

/// Writes the page of make_report; the caller commits the file. Throws Error{output} or Error{storage}.
[[nodiscard]] OutputFile write_report(const std::string& path, const RunRecord& record,
                                      const CatalogMetadata& metadata);

}  // namespace srcextract
