#pragma once

#include <cstdint>
#include <string>

#include "config/settings/output.hpp"
#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// The cards of an image's header that hold for a check image whose pixels are so many of its pixels wide and high.
std::string check_image_cards(const ImageInput& input, const Shape& sides = {1, 1});

/// Writes one of the check images of an extraction; the caller commits the file. All have the cards of the image's
/// header that hold for them, and its celestial WCS, that of meshes included. EXTNAME tells which check image it is,
/// and `rms` is the noise of a map of weights, where there is one; but with config.kept.as_sextractor EXTNAME is that
/// of the image, and `rms` the noise of the mesh. Of a difference they show what became brighter. Throws Error{output}.
[[nodiscard]] OutputFile write_check_image(const std::string& path, CheckImage which, ImageCompression compression,
                                           const Extraction& extraction, const ImageInput& input,
                                           const CatalogMetadata& metadata, const Cpu& where);

/// Writes the image itself in the same way, as SExtractor's IDENTICAL. Throws Error{input} and Error{output}.
[[nodiscard]] OutputFile write_identical_image(const std::string& path, const ImageInput& input,
                                               const CatalogMetadata& metadata, const Cpu& where);

/// Gives pixels that a map of weights masks the values that SExtractor shows there: what the image holds above its
/// sky, and FILTERED of these. FILTERED of a detection image stays masked there. Throws Error{input}.
void show_masked_pixels(const ImageInput& input, Extraction& extraction, const Cpu& where);

}  // namespace srcextract
