#pragma once

#include "pipeline/extract/extract_image.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Reads and combines the image's pixels, without its mask, its weights and its given sky level.
Image<float, Cpu> frame_of(const ImageInput& input, const Cpu& where);

/// Copies the exposure with the pixels of `image` in place of its planes. `image` must outlive the result.
Exposure exposure_with(const Exposure& exposure, const Image<float, Cpu>& image);

/// Copies the configuration for extracting an altered image: the same detection, of one plane, without outputs and flag
/// maps.
Config config_of_altered(const Config& given);

}  // namespace srcextract
