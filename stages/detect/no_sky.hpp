#pragma once

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

/// The sky that SExtractor assumes for an image without one: the level of its pixels and no noise. If all pixels are
/// masked, SExtractor assumes level 0 and noise 1.
struct AssumedSky {
  double level = 0, noise = 1;
};

/// Thrown for an image without a sky, for example from a dead detector: every pixel is masked, or the sky has no noise
/// as a unit of thresholds. Other images of the file may have a sky.
class NoSky : public Error {
 public:
  explicit NoSky(const std::string& message, AssumedSky sky = {}) : Error(ErrorKind::input, message), sky_(sky) {}
  const AssumedSky& sky() const { return sky_; }

 private:
  AssumedSky sky_;
};

}  // namespace srcextract
