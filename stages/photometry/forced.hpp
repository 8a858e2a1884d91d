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

/// A given position at which light is measured, whether or not a source is there (forced photometry).
struct ForcedPosition {
  double x, y;  ///< 0-based; NaN: off the sky
  /// The ellipse of FLUX_AUTO: semi-axes in pixels and the angle of the first in degrees, as A_IMAGE, B_IMAGE and
  /// THETA_IMAGE. There is no ellipse if an axis is not above 0.
  double a = 0, b = 0, theta = 0;
  double kron_radius = 0;  ///< Kron radius in units of the axes; if not above 0, it comes from Kron's first moment
};

/// Whether the position lies in a pixel of an image of this shape.
inline bool is_on_image(const ForcedPosition& at, const Shape& shape) {
  return at.x >= -0.5 && at.x < static_cast<double>(shape.width) - 0.5 && at.y >= -0.5 &&
         at.y < static_cast<double>(shape.height) - 0.5;
}

/// The positions at which light is measured.
struct ForcedPositions {
  std::span<const ForcedPosition> places;
  bool ellipses = false;  ///< true: some positions have an ellipse, so FLUX_AUTO is measured
};

/// Describes a source of one pixel: the pixel at the position, or the pixel of the image nearest to it.
SourceSums sums_at(const ForcedPosition& at, const Shape& shape);

/// Results, one element for each position.
struct ForcedLight {
  Photometry<Cpu> photometry;     ///< circles; also kron if positions have ellipses, and stars if a PSF is known
  Buffer<SourceSums, Cpu> pixel;  ///< per position: its pixel, as a source of one pixel
};

/// Names of the columns of forced photometry, which replace output.columns for make_catalog. `ellipses` adds FLUX_AUTO
/// and its like, `stars` FLUX_PSF and its like.
std::vector<std::string> forced_columns(bool ellipses, bool stars);

/// Measures the light above the background in circles (circles.hpp) and ellipses (ellipse_flux.hpp) about given
/// positions. Light of neighbours is included. Bad pixels are treated as `measurement.mask` says. `variance` is as in
/// PhotometryInput.
/// - A position off the image gives NaN and flag::aperture_cut.
/// - The flux is NaN if all pixels that the aperture touches are bad.
/// - flag::crowded is set if more than a tenth of these pixels are bad.
/// - pixel.near_masked is set if any of these pixels is bad; it becomes flag::masked_pixels.
/// - pixel.peak is the brightest pixel of all apertures.
/// - If the PSF is known, PsfFit::forced measures FLUX_PSF at the positions. `whole` is as in PhotometryInput.
ForcedLight measure_forced(const ForcedPositions& positions, const Image<float, Cpu>& image,
                           const Image<float, Cpu>& variance, const Levels& levels, const Settings& config,
                           const Cpu& where, const Value<Background, Cpu>* whole = nullptr);

}  // namespace srcextract
