#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// A flux measured in an ellipse: FLUX_AUTO or FLUX_PETRO of a source.
struct EllipseFlux {
  double flux, variance;  ///< variance in units of FluxCalibration::pixel; NaN for a source without a shape
  float radius;  ///< radius in units of A_IMAGE; 0 if a circle replaced the ellipse, or if the flux is not above 0
  std::int32_t flags;  ///< flag::crowded and flag::aperture_cut
  double area;         ///< number of pixels summed

  bool operator==(const EllipseFlux&) const = default;
  double error(const FluxCalibration& at) const { return at.error(flux, variance); }
};

/// Whether more than a tenth of the pixels are masked; flag::crowded is then set while a radius is searched. The ratio
/// is computed in float, where a tenth is slightly more than 0.1 in double. Exactly a tenth therefore counts as more,
/// as in SExtractor.
SRCEXTRACT_HOST_DEVICE inline bool is_mostly_masked(std::int64_t masked, std::int64_t area) {
  return static_cast<double>(static_cast<float>(masked) / static_cast<float>(area)) > 0.1;
}

/// Width pixels of a row. The size of a pixel is the factor by which the source's ellipse must be scaled to pass
/// through the pixel.
template <int Width>
struct EllipsePixels {
  float square[Width];           ///< squared size: square_of_scale()
  std::int32_t in_reach[Width];  ///< 1 if the pixel is inside the box and `square` is at most the limit; else 0
};

template <int Width>
SRCEXTRACT_HOST_DEVICE EllipsePixels<Width> ellipse_pixels(const SourceShape& shape, std::int32_t x, std::int32_t y,
                                                           int count, float limit) {
  EllipsePixels<Width> out;
  for (int i = 0; i < Width; ++i) {
    out.square[i] = square_of_scale(shape, x + i, y);
    out.in_reach[i] = (i < count ? 1 : 0) & (out.square[i] <= limit ? 1 : 0);
  }
  return out;
}

/// Sums the light in the source's ellipse scaled by `radius` and, for N = 2, also the variance. counts[0] is the number
/// of pixels in the ellipse, and counts[1] is the number of masked pixels among these.
template <int N, class Lanes>
SRCEXTRACT_HOST_DEVICE SumsAndCounts<N, 2> sums_in_ellipse(const Lanes& lanes, const ApertureBox& box,
                                                           const MeasuredSource& source, const PhotometryImage& image,
                                                           float radius) {
  constexpr int width = Lanes::width;
  const auto cx = static_cast<float>(source.shape.x), cy = static_cast<float>(source.shape.y);
  const auto add = [&](std::int32_t x, std::int32_t y, int count, BlockSums<N, width>& pixels,
                       BlockCounts<2, width>& counted) {
    const auto ellipse = ellipse_pixels<width>(source.shape, x, y, count, radius * radius);
    const auto sample = image.samples(x, y, count, source.number, cx, cy, ellipse.in_reach);
    for (int i = 0; i < width; ++i) pixels.of[0][i] = ellipse.in_reach[i] != 0 ? sample.value[i] : 0;
    if constexpr (N > 1) {
      for (int i = 0; i < width; ++i) {
        const double variance = image.with_photons(1, sample.value[i], sample.variance[i]);
        pixels.of[1][i] = ellipse.in_reach[i] != 0 ? variance : 0;
      }
    }
    for (int i = 0; i < width; ++i) counted.of[0][i] = ellipse.in_reach[i];
    for (int i = 0; i < width; ++i) counted.of[1][i] = ellipse.in_reach[i] & sample.masked[i];
  };
  return lanes.template sum_and_count<N, 2>(box, add);
}

/// Sums the light of whole pixels whose centres are in the source's ellipse, scaled by `radius`. SExtractor sums
/// FLUX_AUTO and FLUX_PETRO in this way, with geometry in float. The flux is not corrected for a part of the ellipse
/// outside the image.
template <class Lanes>
SRCEXTRACT_HOST_DEVICE EllipseFlux flux_in_ellipse(const Lanes& lanes, const MeasuredSource& source,
                                                   const PhotometryImage& image, float radius) {
  const ApertureBox box = box_of_ellipse(source.shape, radius, image);
  const auto row = [&](double flux, double variance, const std::int64_t(&counts)[2]) {
    const auto area = static_cast<double>(counts[0]), masked = static_cast<double>(counts[1]);
    const std::int32_t flags = (box.cut ? flag::aperture_cut : 0) | (masked > 0.1 * area ? flag::crowded : 0);
    return EllipseFlux{flux - area * source.local_sky, variance, radius, flags, area};
  };
  // every pixel has the variance 1, so counting pixels suffices
  if (image.variance == nullptr && image.photon_share == 0) {
    const auto all = sums_in_ellipse<1>(lanes, box, source, image, radius);
    return row(all.sums.of[0], static_cast<double>(all.counts[0]), all.counts);
  }
  const auto all = sums_in_ellipse<2>(lanes, box, source, image, radius);
  return row(all.sums.of[0], all.sums.of[1], all.counts);
}

/// Base class of KronFamily and PetrosianFamily (a family: a group of measurements, see families.hpp), which measures
/// everything except the radius. The derived class `Own` has
/// - radius(lanes, source, image, reach, flags), which uses pixels up to the scale `reach` and may set flags;
/// - `columns`: the flux, its error, both magnitudes, and the radius.
template <class Own>
struct EllipseFamily {
  using Row = EllipseFlux;

  /// `factor` multiplies the scale that Own::radius() measures; the radius is at least `minimum`
  double factor, minimum;
  /// Radii in pixels of the circles that replace smaller ellipses: `searched` while the radius is determined, `least`
  /// for the flux.
  double searched, least;

  EllipseFamily(const std::vector<double>& radius, const MeasurementConfig& config)
      : factor(radius.at(0)),
        minimum(radius.at(1)),
        searched(config.least_apertures.at(0) / 2),
        least(config.least_apertures.at(1) / 2) {}

  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE EllipseFlux measure(const Lanes& lanes, const MeasuredSource& source,
                                             const PhotometryImage& image, int) const {
    return measure_in(lanes, source, image, image);
  }

  /// Measures the flux in `image`, in an ellipse whose radius is determined from the light in `found_in`.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE EllipseFlux measure_in(const Lanes& lanes, const MeasuredSource& source,
                                                const PhotometryImage& found_in, const PhotometryImage& image) const {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (!source.shape.defined) return {nan, nan, 0, 0, 0};
    std::int32_t flags = 0;
    constexpr float reach = 6;
    const double size = std::sqrt(static_cast<double>(source.shape.a * source.shape.b));
    MeasuredSource in = source;
    const bool in_ellipse = reach * size > searched;
    if (!in_ellipse) in.shape = circle_of(source.shape);
    const float radius = static_cast<const Own*>(this)->radius(
        lanes, in, found_in, in_ellipse ? reach : static_cast<float>(searched), flags);
    const bool is_large = radius * size > least;
    in.shape = is_large ? source.shape : circle_of(source.shape);
    EllipseFlux light = flux_in_ellipse(lanes, in, image, is_large ? radius : static_cast<float>(least));
    light.flags |= flags;
    if (!is_large || !(light.flux > 0)) light.radius = 0;
    return light;
  }
};

inline void record_fields(const Buffer<EllipseFlux, Cpu>& rows, FieldRecorder& to) {
  to.members("flux", Element::source, rows, &EllipseFlux::flux);
  to.members("variance", Element::source, rows, &EllipseFlux::variance);
  to.members("radius", Element::source, rows, &EllipseFlux::radius);
  to.members("flags", Element::source, rows, &EllipseFlux::flags);
  to.members("area", Element::source, rows, &EllipseFlux::area);
}

}  // namespace srcextract
