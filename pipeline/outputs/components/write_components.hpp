#pragma once

#include <cstdint>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {

/// Writes the fitted Gaussians and their sources as tables, in the style of output.style, and as regions; the caller
/// commits the files. `datasum` is the checksum of the image. Headers of tables tell FREQ0 (Hz), EQUINOX, INIMAGE, the
/// beam (BMAJ, BMIN, BPA in degrees) and NOISAREA, the area of the noise's autocorrelation in beams.
std::vector<OutputFile> write_components(const OutputPaths& paths, const ImageInput& input,
                                         const Extraction& extraction, CatalogMetadata metadata, std::uint32_t datasum,
                                         const Cpu& where);

}  // namespace srcextract
