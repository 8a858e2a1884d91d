#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/circle_overlap.hpp"
#include "stages/photometry/circles_together.hpp"
#include "stages/photometry/exact_overlap.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

struct CircleFlux {
  /// `variance` is in units of FluxCalibration::pixel; both are NaN for a source without a shape
  double flux, variance;
  std::int64_t flags;  ///< flag::aperture_cut, and flag::crowded in forced photometry; 64 bits avoid padding

  bool operator==(const CircleFlux&) const = default;
  double error(const FluxCalibration& at) const { return at.error(flux, variance); }
};

/// Sums the light in circles about a source (SExtractor's FLUX_APER). Each pixel is weighted by the fraction of its
/// area that is in the circle. This fraction comes from 5 x 5 sub-pixels, or from the exact area. The flux is not
/// corrected for a part of the circle outside the image.
struct CircleFamily {
  using Row = CircleFlux;
  static constexpr const char* name = "circles";

  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  float radius[most_apertures]{};
  std::int32_t by_size[most_apertures]{};  ///< indices of the circles in ascending order of radius
  int count = 0;
  /// whether measuring all circles together (CirclesTogether) is no slower than one circle after another
  bool are_many;
  /// whether a pixel's gain is proportional to its weight; errors then need each circle by itself
  bool photons_follow;
  bool is_exact;  ///< whether fractions of edge pixels are exact areas; else sub-pixels are counted
  double exact_radius[most_apertures]{};  ///< used if is_exact

  explicit CircleFamily(const Settings& config)
      : photons_follow(scales_gain(config.weights)), is_exact(config.measurement.overlap == Overlap::exact) {
    for (const double diameter : config.measurement.apertures) {
      by_size[count] = count;
      exact_radius[count] = diameter / 2;
      radius[count++] = static_cast<float>(diameter / 2);
    }
    std::stable_sort(by_size, by_size + count, [this](int a, int b) { return radius[a] < radius[b]; });
    // A block of pixels in one circle takes as long as four pixels in all circles measured together (measured, see
    // tests/bench/HISTORY.md).
    constexpr double pixels_of_block = 4;
    double blocks = 0, side = 0;
    for (int k = 0; k < count; ++k) {
      side = 2 * static_cast<double>(radius[by_size[k]]) + 2;
      blocks += side * std::ceil(side / HostLanes::width);
    }
    are_many = !is_exact && count > 1 && pixels_of_block * blocks > side * side;
  }
  SRCEXTRACT_HOST_DEVICE int rows() const { return count; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE CircleFlux measure(const Lanes& lanes, const MeasuredSource& source,
                                            const PhotometryImage& image, int which) const {
    return is_exact ? measure_by_area(lanes, source, image, which) : measure_by_sub_pixels(lanes, source, image, which);
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE CircleFlux measure_by_area(const Lanes& lanes, const MeasuredSource& source,
                                                    const PhotometryImage& image, int which) const {
    if (!source.shape.defined) return {nan, nan, 0};
    const ExactLight light = exact_light_in_circle(lanes, source, image, exact_radius[which]);
    return {light.light, light.variance, light.cut ? flag::aperture_cut : 0};
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE CircleFlux measure_by_sub_pixels(const Lanes& lanes, const MeasuredSource& source,
                                                          const PhotometryImage& image, int which) const {
    if (!source.shape.defined) return {nan, nan, 0};
    const auto cx = static_cast<float>(source.shape.x), cy = static_cast<float>(source.shape.y);
    const PlacedCircle<5, float> circle(cx, cy, radius[which]);
    const ApertureBox box = box_of_circle(cx, cy, radius[which], image);
    constexpr int width = Lanes::width;
    const double share = image.photon_share, sky = source.local_sky;
    const auto add = [&, share, sky](std::int32_t x, std::int32_t y, int size, BlockSums<2, width>& pixels) {
      float dx[width], dy[width], weight[width];
      std::int32_t wanted[width];
      for (int i = 0; i < width; ++i) {
        dx[i] = circle.across(x + i);
        dy[i] = circle.down(y);
      }
      circle.overlap.parts(dx, dy, weight);
      // If a pixel's gain is proportional to its weight, SExtractor adds the photon noise of all pixels within reach(),
      // even if their fraction is 0.
      const float reach = share > 0 ? circle.overlap.reach() : 0;
      for (int i = 0; i < width; ++i) {
        const bool is_seen = weight[i] > 0 || dx[i] * dx[i] + dy[i] * dy[i] < reach * reach;
        wanted[i] = i < size && is_seen ? 1 : 0;
      }
      const ApertureSamples<width> sample = image.samples(x, y, size, source.number, cx, cy, wanted);
      for (int i = 0; i < width; ++i) {
        pixels.of[0][i] = wanted[i] != 0 ? weight[i] * (sample.value[i] - sky) : 0;
        const double variance = PhotometryImage::with_photons(share, weight[i], sample.value[i], sample.variance[i]);
        pixels.of[1][i] = wanted[i] != 0 ? variance : 0;
      }
    };
    const Sums<2> sums = lanes.template sum_of_blocks<2>(box, add);
    return {sums.of[0], sums.of[1], box.cut ? flag::aperture_cut : 0};
  }

  /// Whether measure_together() may be called for this source and is faster than measure().
  bool are_measured_together(const MeasuredSource& source) const {
    return are_many && source.shape.defined && !photons_follow &&
           CirclesTogether::can_measure(static_cast<float>(source.shape.x), static_cast<float>(source.shape.y),
                                        radius[by_size[count - 1]]);
  }

  /// Calls keep(which, row) for every circle of a source. Rows equal the results of measure() to the last bit.
  template <class Keep>
  void measure_together(const HostLanes& lanes, const MeasuredSource& source, const PhotometryImage& image,
                        const Keep& keep) const {
    float ascending[most_apertures];
    for (int k = 0; k < count; ++k) ascending[k] = radius[by_size[k]];
    CirclesTogether circles(ascending, count);
    circles.measure(lanes, image, source, [&](int k, double light, double variance, bool cut) {
      keep(by_size[k], CircleFlux{light, variance, cut ? flag::aperture_cut : 0});
    });
  }

  static constexpr bool has_many_rows = true;
  static constexpr RowColumn<CircleFlux> columns[] = {
      {"FLUX_APER", pixel_sum_unit, flux_ucd, "Sum of pixels in a circle, above BACKGROUND", "photometry",
       LightOf<CircleFlux>::flux},
      {"FLUXERR_APER", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_APER", "photometry",
       LightOf<CircleFlux>::error},
      {"MAG_APER", "mag", magnitude_ucd, "Magnitude of FLUX_APER; 99 if that is not above 0", "photometry",
       LightOf<CircleFlux>::magnitude},
      {"MAGERR_APER", "mag", magnitude_error_ucd, "RMS error of MAG_APER", "photometry",
       LightOf<CircleFlux>::magnitude_error},
  };
};

inline void record_fields(const Buffer<CircleFlux, Cpu>& rows, FieldRecorder& to) {
  to.members("flux", Element::source, rows, &CircleFlux::flux);
  to.members("variance", Element::source, rows, &CircleFlux::variance);
  to.members("flags", Element::source, rows, &CircleFlux::flags);
}

}  // namespace srcextract
