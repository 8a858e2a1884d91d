#pragma once

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

/// The sky that SExtractor assumes for an image whose sky cannot be measured. If the clipped noise is 0: the clipped
/// median, and noise 0. If all pixels are masked, or more than half of each mesh: level 0 and noise 1.
struct AssumedSky {
  double level = 0, noise = 1;
};

/// Thrown if the sky of an image cannot be measured, for example from a dead detector: every pixel is masked, or the
/// noise that thresholds need is 0. Other images of the file may still have a sky.
class NoSky : public Error {
 public:
  explicit NoSky(const std::string& message, AssumedSky sky = {}) : Error(ErrorKind::input, message), sky_(sky) {}
  const AssumedSky& sky() const { return sky_; }

 private:
  AssumedSky sky_;
};

}  // namespace srcextract
