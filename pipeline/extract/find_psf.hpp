#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/extract/extract_image.hpp"
#include "stages/psf/make_psf.hpp"

namespace srcextract {

/// The PSF (point-spread function) of an image, made from its stars (psf.method: fit).
struct FoundPsf {
  MadePsf made;
  std::vector<PsfStar>
      stars;  ///< all detected sources; each has a verdict, which is `used` or the reason for its rejection
  std::vector<std::string> sorted;  ///< texts such as "12 too faint": number of rejected sources for each reason
  double seconds = 0;
  ClippedPeaks clipped;  ///< where stars are clipped, if the level of saturation is not known
  Config config;  ///< the image's configuration, with the fitted PSF in `resources` as if psf.file had named it, and
                  ///< with `clipped` as level of saturation

  std::size_t used() const;
};

/// Whether a PSF is made from the image: psf.method is `fit`, the image is no difference, and a column or an output
/// needs the PSF.
bool makes_psf(const ImageInput& input);

/// Whether the PSF is fitted to stars: one that is made from the image, or is named by psf.file.
bool fits_stars(const ImageInput& input);

/// Finds the stars of the image and fits the PSF (make_psf) on the CPU.
///
/// Stars are found in a separate extraction, whose detection settings are fixed. So the PSF depends only on the pixels
/// and on the settings of sky, noise, masks, gain, saturation, `psf` and `crowd`.
///
/// Logs the result. Throws Error{input} if no star is good enough for a PSF, and what the stages throw.
std::shared_ptr<const FoundPsf> find_psf(const ImageInput& input, const Execution& execution, Progress& progress);

}  // namespace srcextract
