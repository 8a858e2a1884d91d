#pragma once

#include <cstdint>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {

/// Writes the tables of fitted Gaussians and of their sources, in the style of output.style, and files of regions. The
/// caller commits the files. `datasum` is the checksum of the image. The tables' headers have FREQ0 (Hz), EQUINOX,
/// INIMAGE, the beam (BMAJ, BMIN, BPA in degrees) and NOISAREA, the area of the noise's autocorrelation in beams.
std::vector<OutputFile> write_components(const OutputPaths& paths, const ImageInput& input,
                                         const Extraction& extraction, CatalogMetadata metadata, std::uint32_t datasum,
                                         const Cpu& where);

}  // namespace srcextract
