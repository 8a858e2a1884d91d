#pragma once

#include "pipeline/extract/extract_image.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Reads and combines the image's pixels, without applying mask, weights or a given sky level.
Image<float, Cpu> frame_of(const ImageInput& input, const Cpu& where);

/// Copies an exposure, but with the pixels of `image` as the only plane. `image` must outlive the result.
Exposure exposure_with(const Exposure& exposure, const Image<float, Cpu>& image);

/// Makes the configuration for extracting an altered image: the same detection, but no combination of planes, no flag
/// maps, no reliability of fits and no outputs.
Config config_of_altered(const Config& given);

}  // namespace srcextract
