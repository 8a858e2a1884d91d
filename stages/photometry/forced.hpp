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

/// A given position at which light is measured, even if no source was detected there (forced photometry).
struct ForcedPosition {
  double x, y;  ///< in pixels from 0; NaN if the sky position has no pixel position
  /// The ellipse for FLUX_AUTO: semi-axes in pixels and the angle of the first axis in degrees, as A_IMAGE, B_IMAGE and
  /// THETA_IMAGE. If an axis is not above 0, there is no ellipse.
  double a = 0, b = 0, theta = 0;
  /// Kron radius in units of the axes; if not above 0, the radius is measured as for FLUX_AUTO
  double kron_radius = 0;
};

/// Whether the position is inside an image of this shape.
inline bool is_on_image(const ForcedPosition& at, const Shape& shape) {
  return at.x >= -0.5 && at.x < static_cast<double>(shape.width) - 0.5 && at.y >= -0.5 &&
         at.y < static_cast<double>(shape.height) - 0.5;
}

struct ForcedPositions {
  std::span<const ForcedPosition> places;
  bool ellipses = false;  ///< true if some positions have an ellipse; FLUX_AUTO is then measured
};

/// Returns the sums of a source that has a single pixel: the pixel at the position, or the nearest pixel of the image.
SourceSums sums_at(const ForcedPosition& at, const Shape& shape);

/// Results, one element for each position.
struct ForcedLight {
  /// results of CircleFamily; also of KronFamily if positions have ellipses, and of StarFamily if a PSF is known
  Photometry<Cpu> photometry;
  /// for each position: sums_at(), completed by `peak` and `near_masked` of the apertures
  Buffer<SourceSums, Cpu> pixel;
};

/// Returns the names of the columns of forced photometry; make_catalog() uses them in place of output.columns.
/// `ellipses` adds FLUX_AUTO and related columns, `stars` adds FLUX_PSF and related columns.
std::vector<std::string> forced_columns(bool ellipses, bool stars);

/// Measures the light above the background in circles (circles.hpp) and ellipses (ellipse_flux.hpp) about given
/// positions. Light of neighbouring sources is included. `measurement.mask` sets the treatment of bad pixels.
/// `variance` and `whole` are as in PhotometryInput.
/// - A position outside the image has NaN fluxes and flag::aperture_cut.
/// - The flux is NaN if all pixels that the aperture touches are bad.
/// - flag::crowded is set if more than a tenth of the pixels of the aperture are bad.
/// - pixel.near_masked is set if an aperture touches a bad pixel; make_catalog() converts it to flag::masked_pixels.
/// - pixel.peak is the brightest pixel of all apertures.
/// - If the PSF is known, PsfFit::forced() measures FLUX_PSF at the positions.
ForcedLight measure_forced(const ForcedPositions& positions, const Image<float, Cpu>& image,
                           const Image<float, Cpu>& variance, const Levels& levels, const Settings& config,
                           const Cpu& where, const Value<Background, Cpu>* whole = nullptr);

}  // namespace srcextract
