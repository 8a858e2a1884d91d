#pragma once

#include <string>

namespace srcextract {

/// The key that names the file of the model.
inline constexpr const char* psf_key = "psf.file";

/// The light by which the photon noise of a pixel is told in a fit of the PSF.
enum class PsfWeights { model, sky, data };

/// The model of a star's shape, and how it is fitted.
struct PsfConfig {
  std::string file;                        ///< PSFEx's .psf; empty: none
  PsfWeights weights = PsfWeights::model;  ///< where the photons of a star are counted

  bool operator==(const PsfConfig&) const = default;
};

}  // namespace srcextract
