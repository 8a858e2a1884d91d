#pragma once

#include <cstdint>
#include <string>

namespace srcextract {

/// The key that names the file of the model.
inline constexpr const char* psf_key = "psf.file";

/// From which light the photon noise of a pixel is computed in a fit of the PSF: the fitted model, only the sky, or the
/// pixel's own value.
enum class PsfWeights { model, sky, data };

/// Where the model of a star's shape comes from: a file, or a fit to the image itself.
enum class PsfMethod { file, fit };

/// What the flux of a star includes: only the light in the aperture by which the maker of the model normalised it, or
/// all light.
enum class PsfNormalise { aperture, total };

/// The model of a star's shape, and how it is fitted.
struct PsfConfig {
  PsfMethod method = PsfMethod::file;
  std::string file;         ///< PSFEx's .psf; empty: none
  std::int64_t degree = 2;  ///< highest degree of the polynomial by which a fitted model varies over the field
  PsfNormalise normalise = PsfNormalise::aperture;
  PsfWeights weights = PsfWeights::model;  ///< which light gives the photon noise of pixels

  bool operator==(const PsfConfig&) const = default;
};

}  // namespace srcextract
