#pragma once

#include <string>
#include <string_view>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Writes the label map as a tile-compressed (RICE) 32-bit FITS image, pixel = NUMBER and 0 = no source, with the
/// celestial WCS cards of `header` and carried_cards(header, primary); the caller commits the file. Throws
/// Error{output}.
[[nodiscard]] OutputFile write_segmentation(const std::string& path, const Runs<Cpu>& runs,
                                            const Buffer<std::int32_t, Cpu>& label, const std::string& header,
                                            const CatalogMetadata& metadata, std::string_view primary = {});

/// The same as a plain primary image of 32 bits, which every program reads, with these cards in its header.
[[nodiscard]] OutputFile write_labels(const std::string& path, const Runs<Cpu>& runs,
                                      const Buffer<std::int32_t, Cpu>& label, const std::string& cards,
                                      const CatalogMetadata& metadata);

}  // namespace srcextract
