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

/// Header cards of the image that hold for a check image. Each check image pixel covers `sides` image pixels.
std::string check_image_cards(const ImageInput& input, const Shape& sides = {1, 1});

/// The axes beyond the first two (frequency, Stokes) that check images of a radio map keep; empty for other images.
FurtherAxes further_axes(const ImageInput& input);

/// Writes one check image of an extraction; the caller commits the file. The check image has the valid cards of the
/// image's header and its celestial WCS, also for meshes. A check image of a radio map has as many axes as the map.
/// EXTNAME names the check image, and `rms` is the noise of the weight map if there is one. With
/// config.kept.as_sextractor, EXTNAME is the image's and `rms` is the mesh noise. For a difference, check images show
/// what became brighter; `threshold` and `morphology` show what became fainter, too. Throws Error{output}.
[[nodiscard]] OutputFile write_check_image(const std::string& path, CheckImage which, ImageCompression compression,
                                           const Extraction& extraction, const ImageInput& input,
                                           const CatalogMetadata& metadata, const Cpu& where);

/// Writes the image itself as a check image: SExtractor's IDENTICAL. Throws Error{input} and Error{output}.
[[nodiscard]] OutputFile write_identical_image(const std::string& path, const ImageInput& input,
                                               const CatalogMetadata& metadata, const Cpu& where);

/// Gives pixels masked by a weight map the values that SExtractor shows: the image minus its sky, and for FILTERED the
/// filtered values. FILTERED of a detection image stays masked. Throws Error{input}.
void show_masked_pixels(const ImageInput& input, Extraction& extraction, const Cpu& where);

}  // namespace srcextract
