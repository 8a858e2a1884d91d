#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "stages/core/buffer.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/photometry/families.hpp"

namespace srcextract {

/// A place at which light is measured, whatever is there (forced photometry).
struct ForcedPosition {
  double x, y;  ///< 0-based; NaN: off the sky
  /// The ellipse of FLUX_AUTO: semi-axes in pixels and the angle of the first in degrees, as A_IMAGE, B_IMAGE and
  /// THETA_IMAGE. An axis that is not above 0 is no ellipse.
  double a = 0, b = 0, theta = 0;
  double kron_radius = 0;  ///< its size in units of these; not above 0: by Kron's first moment of the light there
};

/// Whether it is in one of the pixels of an image of that shape.
inline bool is_on_image(const ForcedPosition& at, const Shape& shape) {
  return at.x >= -0.5 && at.x < static_cast<double>(shape.width) - 0.5 && at.y >= -0.5 &&
         at.y < static_cast<double>(shape.height) - 0.5;
}

/// All of them.
struct ForcedPositions {
  std::span<const ForcedPosition> places;
  bool ellipses = false;  ///< some have one, and FLUX_AUTO is measured
};

/// What was measured there, an element for each.
struct ForcedLight {
  Photometry<Cpu> photometry;     ///< circles, and with ellipses kron
  Buffer<SourceSums, Cpu> pixel;  ///< the pixel that the place is in, as a source of that one
};

/// The columns that there are of it, by which output.columns of make_catalog is to be replaced.
std::vector<std::string> forced_columns(bool ellipses);

/// Sums light in circles (circles.hpp) and in ellipses (ellipse_flux.hpp) about places of an image, above levels.
/// Nobody owns a pixel: neighbours count as they are, bad pixels as `measurement.mask` says. Where a place is off the
/// image all is NaN, with flag::aperture_cut; where each pixel that an aperture touches is bad its flux is NaN. FLAGS
/// are flag::crowded where more than a tenth of these pixels are bad, flag::aperture_cut, and by pixel.near_masked
/// flag::masked_pixels where any is. pixel.peak is the brightest of all apertures. `variance`: as of PhotometryInput.
ForcedLight measure_forced(const ForcedPositions& positions, const Image<float, Cpu>& image,
                           const Image<float, Cpu>& variance, const Levels& levels, const Config& config,
                           const Cpu& where);

}  // namespace srcextract
