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
  std::vector<PsfStar> stars;       ///< all detected sources, each with the reason why it was used or rejected
  std::vector<std::string> sorted;  ///< in words, how many sources were rejected for which reason
  double seconds = 0;
  Config config;  ///< the image's configuration, with the fitted PSF in its resources as if psf.file named it

  std::size_t used() const;
};

/// Whether a PSF is made from the image: the configuration says so, and a column or an output needs it.
bool makes_psf(const ImageInput& input);

/// Finds the stars of the image and fits the PSF (make_psf) on the host. Stars are found in an extraction of their own,
/// whose settings do not depend on those of sources. So the PSF depends only on the pixels, their sky, noise, gain and
/// saturation. Logs the result. Throws Error{input} if no star can tell the PSF, and what the stages throw.
std::shared_ptr<const FoundPsf> find_psf(const ImageInput& input, const Execution& execution, Progress& progress);

}  // namespace srcextract
