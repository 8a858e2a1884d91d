#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stages/core/buffer.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/photometry/families.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// A position at which light is measured, whatever is there (forced photometry).
struct ForcedPosition {
  double x, y;  ///< 0-based; NaN: off the sky
  /// The ellipse of FLUX_AUTO: semi-axes in pixels and the angle of the first in degrees, as A_IMAGE, B_IMAGE and
  /// THETA_IMAGE. There is no ellipse if an axis is not above 0.
  double a = 0, b = 0, theta = 0;
  double kron_radius = 0;  ///< size in units of the axes; not above 0: from Kron's first moment of the light
};

/// Whether the position is in a pixel of an image of this shape.
inline bool is_on_image(const ForcedPosition& at, const Shape& shape) {
  return at.x >= -0.5 && at.x < static_cast<double>(shape.width) - 0.5 && at.y >= -0.5 &&
         at.y < static_cast<double>(shape.height) - 0.5;
}

/// All positions.
struct ForcedPositions {
  std::span<const ForcedPosition> places;
  bool ellipses = false;  ///< some positions have an ellipse, so FLUX_AUTO is measured
};

/// The pixel at a position, or the nearest one, as a source of one pixel.
SourceSums sums_at(const ForcedPosition& at, const Shape& shape);

/// Results, one element for each position.
struct ForcedLight {
  Photometry<Cpu> photometry;     ///< circles; with ellipses also kron; with a PSF stars
  Buffer<SourceSums, Cpu> pixel;  ///< the pixel at the position, as a source of one pixel
};

/// Names of the columns of forced photometry, which replace output.columns for make_catalog. `stars`: also of the PSF.
std::vector<std::string> forced_columns(bool ellipses, bool stars);

/// Sums the light in circles (circles.hpp) and ellipses (ellipse_flux.hpp) about positions of an image, above levels.
/// Pixels have no owner: neighbours count as they are, bad pixels as `measurement.mask` says. `variance` is as in
/// PhotometryInput.
/// - A position off the image gives NaN and flag::aperture_cut.
/// - The flux is NaN if each pixel that the aperture touches is bad.
/// - flag::crowded is set if more than a tenth of these pixels are bad.
/// - flag::masked_pixels is set, by pixel.near_masked, if any of them is bad.
/// - pixel.peak is the brightest pixel of all apertures.
/// - If a file tells the PSF, PsfFit::forced measures stars at the positions. `whole` is as in PhotometryInput.
ForcedLight measure_forced(const ForcedPositions& positions, const Image<float, Cpu>& image,
                           const Image<float, Cpu>& variance, const Levels& levels, const Settings& config,
                           const Cpu& where, const Value<Background, Cpu>* whole = nullptr);

}  // namespace srcextract
