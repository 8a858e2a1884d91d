#pragma once

#include <cstdint>

#include "stages/measure/flux_calibration.hpp"
#include "stages/measure/moments.hpp"
#include "stages/photometry/measured_source.hpp"

namespace srcextract {

/// How noise moves a centroid: over its pixels, sums of w^2 e, w^2 e dx^2, w^2 e dy^2 and w^2 e dx dy, with w the
/// weight and e a part of the variance of a pixel.
struct PositionNoise {
  double pixels[4];   ///< e: in units of FluxCalibration::pixel
  double photons[4];  ///< e: what a gain of 1 has of photons
  double flux;        ///< by whose square they are divided
  bool is_thin;       ///< the source is thinner than a pixel: then its errors are not less than a pixel's

  bool operator==(const PositionNoise&) const = default;

  /// Variances of x and y and their covariance.
  SecondMoments moments(const FluxCalibration& at) const {
    const auto sum = [&](int i) { return pixels[i] * at.pixel + (at.gain > 0 ? photons[i] / at.gain : 0); };
    const double square = flux * flux;
    SecondMoments m{sum(1) / square, sum(2) / square, sum(3) / square};
    constexpr double twelfth = 0.08333;
    const double least = twelfth * sum(0) / square;
    if (is_thin && m.x2 * m.y2 - m.xy * m.xy < least * least) {
      m.x2 += least;
      m.y2 += least;
    }
    return m;
  }
};

/// That of the position of a source (SExtractor's ERRX2_IMAGE), whose weight is 1 and whose photons are those of the
/// image in which it was found. Of its pixels only their place and their variance are looked at.
template <class Lanes>
SRCEXTRACT_HOST_DEVICE PositionNoise isophotal_noise(const Lanes& lanes, const MeasuredSource& source,
                                                     const PhotometryImage& image) {
  const SourceSums& found = *source.found;
  const SourceOffset at = offset_of(source.shape, found);
  const Sums<4> sums = lanes.template sum<4>(
      ApertureBox{found.xmin, found.xmax + 1, found.ymin, found.ymax + 1, false},
      [&](std::int32_t x, std::int32_t y) -> Sums<4> {
        const std::int64_t i = image.at(x, y);
        if (image.owner[i] != source.number) return {};
        const double variance = image.variance_at(i), dx = x - source.shape.x, dy = y - source.shape.y;
        return {{variance, variance * dx * dx, variance * dy * dy, variance * dx * dy}};
      });
  // Sum c (dx - x)^2 and so on, from the sums about the source's first column and row.
  const double x2 = found.vxx - at.x * (2 * found.vx - at.x * found.v);
  const double y2 = found.vyy - at.y * (2 * found.vy - at.y * found.v);
  const double xy = found.vxy - at.x * found.vy - at.y * found.vx + at.x * at.y * found.v;
  return {{sums.of[0], sums.of[1], sums.of[2], sums.of[3]},
          {found.v, x2, y2, xy},
          found.v,
          is_thin(moments_about(found, at))};
}

}  // namespace srcextract
