#pragma once

#include <string>
#include <string_view>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Writes the label map as a tile-compressed (RICE) 32-bit FITS image: pixel = NUMBER, 0 = no source. The header has
/// the celestial WCS cards of `header` and carried_cards(header, primary). The caller commits the file. Throws
/// Error{output}.
[[nodiscard]] OutputFile write_segmentation(const std::string& path, const Runs<Cpu>& runs,
                                            const Buffer<std::int32_t, Cpu>& label, const std::string& header,
                                            const CatalogMetadata& metadata, std::string_view primary = {});

/// Writes the label map as a plain 32-bit primary image, which every program can read, with these header cards.
[[nodiscard]] OutputFile write_labels(const std::string& path, const Runs<Cpu>& runs,
                                      const Buffer<std::int32_t, Cpu>& label, const std::string& cards,
                                      const CatalogMetadata& metadata);

}  // namespace srcextract
