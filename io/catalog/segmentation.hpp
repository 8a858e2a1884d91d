#pragma once

#include <string>
#include <string_view>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Writes the label map as a 32-bit FITS image, tile-compressed with RICE_1. The value of a pixel is the NUMBER of its
/// source, or 0. `runs` are the detected runs (consecutive pixels of a row), and `label` the NUMBER of the source of
/// each run. The header has the celestial WCS cards of `header`, and carried_cards(header, primary). The caller commits
/// the file. Throws Error{output} or Error{storage}.
[[nodiscard]] OutputFile write_segmentation(const std::string& path, const Runs<Cpu>& runs,
                                            const Buffer<std::int32_t, Cpu>& label, const std::string& header,
                                            const CatalogMetadata& metadata, std::string_view primary = {});

/// Writes the label map as an uncompressed 32-bit primary image with the header cards `cards`. The caller commits the
/// file.
[[nodiscard]] OutputFile write_labels(const std::string& path, const Runs<Cpu>& runs,
                                      const Buffer<std::int32_t, Cpu>& label, const std::string& cards,
                                      const CatalogMetadata& metadata);

}  // namespace srcextract
