#pragma once

#include <cstdint>
#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "io/wcs/cube_axes.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/settings/output.hpp"

namespace srcextract {

/// Header cards for a check image: the cards of the image's header that remain valid, and the WCS. Each pixel of the
/// check image covers `sides` pixels of the image.
std::string check_image_cards(const ImageInput& input, const Shape& sides = {1, 1});

/// The axes beyond the first two (frequency, Stokes) that check images of a radio map keep. Empty if the image is no
/// radio map to which Gaussians are fitted.
FurtherAxes further_axes(const ImageInput& input);

/// Writes one check image of an extraction; the caller commits the file.
/// - The check image has the valid cards of the image's header, and the celestial WCS. For mesh images, the WCS is
///   scaled to the size of a mesh. A check image of a radio map has as many axes as the map.
/// - EXTNAME is the name of the check image. `rms` is the noise of the weight map if there is a weight map. With
///   config.kept.as_sextractor, EXTNAME is the EXTNAME of the image, and `rms` is the mesh noise.
/// - For a difference, check images show sources that became brighter; `threshold` and `morphology` also show sources
///   that became fainter.
///
/// Throws Error{output}.
[[nodiscard]] OutputFile write_check_image(const std::string& path, CheckImage which, ImageCompression compression,
                                           const Extraction& extraction, const ImageInput& input,
                                           const CatalogMetadata& metadata, const Cpu& where);

/// Writes the image's own pixels as a check image, like SExtractor's IDENTICAL. The caller commits the file. Throws
/// Error{input} and Error{output}.
[[nodiscard]] OutputFile write_identical_image(const std::string& path, const ImageInput& input,
                                               const CatalogMetadata& metadata, const Cpu& where);

/// Gives values to NaN pixels that a weight map masks, as SExtractor does: the image minus the sky, and in the filtered
/// image the filtered values. With a detection image, the filtered image is left unchanged. Throws Error{input}.
void show_masked_pixels(const ImageInput& input, Extraction& extraction, const Cpu& where);

}  // namespace srcextract
