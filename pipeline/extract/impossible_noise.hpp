#pragma once

#include <string>
#include <vector>

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Warns if the noise of the sky is below that of the photons of its level, as the gain has them. No detector does
/// that, so the gain is too small, or the level has more than the sky in it. The level of an overscan in the image
/// (BIASSEC) is no part of the sky's.
///
/// Not looked at: differences, images whose map holds the photons, a gain that the user gives without a keyword, images
/// of a few electrons, whose noise is no Gaussian's, and noise below the step of stored integers. `srcextract
/// sextractor` does not look either.
void warn_of_impossible_noise(const ImageInput& input, const Extraction& extraction,
                              std::vector<std::string>& warnings);

}  // namespace srcextract
