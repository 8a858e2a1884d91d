#pragma once

#include <cstdint>
#include <string>

namespace srcextract {

/// The key that names the file of the model.
inline constexpr const char* psf_key = "psf.file";

/// The light by which the photon noise of a pixel is told in a fit of the PSF.
enum class PsfWeights { model, sky, data };

/// Where the model of a star's shape is from: a file, or the image itself.
enum class PsfMethod { file, fit };

/// What the flux of a star counts: the light in the aperture by which the model's maker normalised it, or all of it.
enum class PsfNormalise { aperture, total };

/// The model of a star's shape, and how it is fitted.
struct PsfConfig {
  PsfMethod method = PsfMethod::file;
  std::string file;         ///< PSFEx's .psf; empty: none
  std::int64_t degree = 2;  ///< of the polynomial of a fitted model over the field, at most
  PsfNormalise normalise = PsfNormalise::aperture;
  PsfWeights weights = PsfWeights::model;  ///< where the photons of a star are counted

  bool operator==(const PsfConfig&) const = default;
};

}  // namespace srcextract
