#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/psf/make_psf.hpp"

namespace srcextract {

/// The PSF of an image, made from its stars (psf.method: fit).
struct FoundPsf {
  MadePsf made;
  std::vector<PsfStar> stars;       ///< all sources that were found, and what became of them
  std::vector<std::string> sorted;  ///< in words, how many sources were left out for which reason
  double seconds = 0;
  Config config;  ///< that of the image, with the numbers of the PSF

  std::size_t used() const;
};

/// Whether a PSF is made from the image: the configuration says so, and a column or an output needs it.
bool makes_psf(const ImageInput& input);

/// Finds the stars of the image in an extraction of its own, whose settings do not depend on those of sources, and
/// makes the PSF (make_psf) on the host. So the PSF follows from the pixels, their sky, noise, gain and saturation
/// alone. Logs the result. Throws Error{input} if there is no star that could tell the PSF, and what the stages throw.
std::shared_ptr<const FoundPsf> find_psf(const ImageInput& input, const Execution& execution, Progress& progress);

}  // namespace srcextract
