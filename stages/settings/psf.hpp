#pragma once

#include <cstdint>
#include <string>

namespace srcextract {

/// The configuration key that names the file of the PSF model.
inline constexpr const char* psf_key = "psf.file";

/// The light whose photon noise a PSF fit adds to the sky noise of a pixel. model: the fitted star. sky: none. data:
/// the pixel's value above the background.
enum class PsfWeights { model, sky, data };

/// Where the PSF model comes from: a file, or a fit to the stars of the image itself.
enum class PsfMethod { file, fit };

/// The light that the fitted flux of a star includes. aperture: the light in the aperture in which PSFEx normalised the
/// model. total: all light of the model, as always with PsfMethod::fit.
enum class PsfNormalise { aperture, total };

/// The PSF model, and how the model is fitted to stars.
struct PsfConfig {
  PsfMethod method = PsfMethod::file;
  std::string file;         ///< path of a model in PSFEx's format .psf; empty: none
  std::int64_t degree = 2;  ///< maximum degree of the polynomial in x and y by which a model fitted to the image
                            ///< varies; lower if stars are few
  PsfNormalise normalise = PsfNormalise::aperture;
  PsfWeights weights = PsfWeights::model;

  bool operator==(const PsfConfig&) const = default;
};

}  // namespace srcextract
