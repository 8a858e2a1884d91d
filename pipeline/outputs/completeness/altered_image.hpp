#pragma once

#include "pipeline/extract/extract_image.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The image before its mask, its weights and its given level.
Image<float, Cpu> frame_of(const ImageInput& input, const Cpu& where);

/// The exposure with other pixels, which must outlive it.
Exposure exposure_with(const Exposure& exposure, const Image<float, Cpu>& image);

/// The same detection, of one plane, without outputs.
Config config_of_altered(const Config& given);

}  // namespace srcextract
