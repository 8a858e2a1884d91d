#pragma once

#include "stages/catalogue/sources.hpp"
#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// The light in an ellipse.
struct EllipseFlux {
  double flux, variance;  ///< the variance in units of FluxCalibration::pixel
  std::int32_t flags;     ///< flag::crowded, flag::aperture_cut

  bool operator==(const EllipseFlux&) const = default;
};

/// What of an ellipse is found to be of others, or bad.
struct EllipseCover {
  double area, masked;
};

/// FLAGS 1 while a radius is sought. The ratio is in float, in which a tenth is more than a tenth in double: exactly a
/// tenth is enough, as in SExtractor.
SRCEXTRACT_HOST_DEVICE inline bool is_mostly_masked(double masked, double area) {
  return static_cast<double>(static_cast<float>(masked) / static_cast<float>(area)) > 0.1;
}

/// The light of whole pixels whose centres are in the ellipse `scale` times as large as the source's, as SExtractor
/// sums it for FLUX_AUTO and FLUX_PETRO: geometry in float, no correction for what lies beyond the image.
template <class Lanes>
SRCEXTRACT_HOST_DEVICE EllipseFlux flux_in_ellipse(const Lanes& lanes, const MeasuredSource& source,
                                                   const PhotometryImage& image, float scale) {
  const SourceShape& shape = source.shape;
  const auto cx = static_cast<float>(shape.x), cy = static_cast<float>(shape.y);
  const float limit = scale * scale;
  const ApertureBox box = box_of_ellipse(shape, scale, image);
  const Sums<4> sums = lanes.template sum<4>(box, [&](std::int32_t x, std::int32_t y) -> Sums<4> {
    if (!(square_of_scale(shape, x, y) <= limit)) return {};
    const ApertureSample sample = image.sample(x, y, source.number, cx, cy);
    return {{sample.value, sample.variance, 1.0, sample.masked ? 1.0 : 0.0}};
  });
  const double area = sums.of[2], masked = sums.of[3];
  return {sums.of[0], sums.of[1], (box.cut ? flag::aperture_cut : 0) | (masked > 0.1 * area ? flag::crowded : 0)};
}

}  // namespace srcextract
