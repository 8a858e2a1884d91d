#pragma once

#include <string>

#include "stages/core/error.hpp"

namespace srcextract {

/// What SExtractor takes the sky to be of an image that shows none: the level of its pixels, which have no noise, or,
/// where all are masked, 0 and a noise of 1.
struct AssumedSky {
  double level = 0, noise = 1;
};

/// An image that shows no sky, as one that a dead detector took: every pixel is masked, or the sky has no noise to
/// count thresholds in. Others of its file may have one.
class NoSky : public Error {
 public:
  explicit NoSky(const std::string& message, AssumedSky sky = {}) : Error(ErrorKind::input, message), sky_(sky) {}
  const AssumedSky& sky() const { return sky_; }

 private:
  AssumedSky sky_;
};

}  // namespace srcextract
