#pragma once

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

/// The sky that SExtractor assumes for an image whose sky cannot be measured, in pixel values. If the noise after
/// clipping is 0: the median after clipping as level, and noise 0. If all pixels are masked, or more than half of the
/// pixels of each mesh (rectangle of pixels in which the sky is estimated): level 0 and noise 1.
struct AssumedSky {
  double level = 0, noise = 1;
};

/// Thrown if the sky of an image cannot be measured, for example if the detector is dead. Either every pixel is masked,
/// or more than half of the pixels of every mesh, or the settings need the noise and the noise is 0. A caller may skip
/// this image and go on with other images of the file.
class NoSky : public Error {
 public:
  explicit NoSky(const std::string& message, AssumedSky sky = {}) : Error(ErrorKind::input, message), sky_(sky) {}
  const AssumedSky& sky() const { return sky_; }

 private:
  AssumedSky sky_;
};

}  // namespace srcextract
