#include "pipeline/extract/precision.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "stages/core/error.hpp"
#include "stages/core/shortest_number.hpp"

namespace srcextract {
namespace {

/// The smallest possible difference between two pixel values of a file; 0 for floating-point pixels.
double grain_of(const PixelFormat& format) {
  return format.bitpix > 0 ? std::abs(format.bscale) : 0;
}

}  // namespace

void check_precision(const PixelFormat& format, const Background& background) {
  const bool as_stored = format.bitpix == -32 && format.bscale == 1 && format.bzero == 0;
  const float level = std::abs(static_cast<float>(background.clipped.median));
  const double step = std::nextafter(level, std::numeric_limits<float>::infinity()) - level;
  const double sigma = background.clipped.sigma;
  if (as_stored || background.all.count == 0 || step <= grain_of(format) || step * 2 <= sigma) return;
  throw Error(ErrorKind::input, "the values need more than the 24 bits of float32: near the sky, " +
                                    shortest(background.clipped.median) + ", it has steps of " + shortest(step) +
                                    ", and the noise is " + shortest(sigma) +
                                    " with what rounding adds to it; subtract a constant of about the sky from the "
                                    "pixels first");
}

}  // namespace srcextract
