#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "stages/core/stage_record.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/measure/ellipse.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/circles.hpp"
#include "stages/photometry/light_radii.hpp"
#include "stages/photometry/position_noise.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Bits of FLAGS_WIN. If any bit is set, isophotal values replace the windowed position, moments and errors.
namespace window_flag {
inline constexpr std::int32_t no_ellipse = 1;         ///< the determinant of the moments is negative
inline constexpr std::int32_t negative_variance = 2;  ///< a second moment is negative
inline constexpr std::int32_t no_light = 4;  ///< light in the window is not positive, or the source has no shape
/// position moved by more than a pixel in both x and y, and out of the source's ellipse
inline constexpr std::int32_t strayed = 8;
}  // namespace window_flag

/// Results for a source in a Gaussian window; NaN if the source has no shape.
struct WindowedSource {
  double x, y;  ///< in pixels from 0
  SecondMoments moments;
  PositionNoise noise;
  double flux, variance, photons;  ///< sums in the final window; `photons` is the photon variance for a gain of 1
  std::int32_t rounds, flags_win;
  std::int64_t flags;

  double error(const FluxCalibration& at) const {
    return std::sqrt(variance * at.pixel + (at.gain > 0 ? photons / at.gain : 0));
  }
  Ellipse ellipse() const { return ellipse_or_none(moments); }
  Ellipse noise_ellipse(const FluxCalibration& at) const { return ellipse_or_none(noise.moments(at)); }
};

/// Returns the sigma of a source's window from its half-light radius, both in pixels.
SRCEXTRACT_HOST_DEVICE inline double width_of_window(double half_light) {
  return 2 * half_light / 2.35;
}

/// A Gaussian window about (cx, cy), truncated at 4 sigma. Positions are in double, the other geometry in float.
class GaussianWindow {
 public:
  SRCEXTRACT_HOST_DEVICE GaussianWindow(double cx, double cy, float sigma)
      : circle_(cx, cy, 4 * sigma), radius_(4 * sigma), steepness_(1 / (2 * sigma * sigma)) {}

  SRCEXTRACT_HOST_DEVICE ApertureBox box(const PhotometryImage& image) const {
    return box_of_circle(circle_.cx, circle_.cy, static_cast<double>(radius_), image);
  }

  /// Computes N sums over the window's pixels. For each pixel, f(w, dx, dy, value, variance, add) must call add(k,
  /// contribution of the pixel to sum k) for each k below N. w is the weight of the pixel.
  template <int N, class Lanes, class F>
  SRCEXTRACT_HOST_DEVICE Sums<N> sum(const Lanes& lanes, std::int32_t number, const PhotometryImage& image,
                                     const F& f) const {
    constexpr int width = Lanes::width;
    const ApertureBox all = box(image);
    const auto gaussian = lanes.product(
        all, [this](std::int32_t x) { return along(circle_.across(x)); },
        [this](std::int32_t y) { return along(circle_.down(y)); });
    const auto add = [&](const CircleBlock<width>& block, BlockSums<N, width>& pixels) {
      double weight[width];
      gaussian.at(block.x, block.y, weight);
      const ApertureSamples<width> sample =
          image.samples(block.x, block.y, block.count, number, circle_.cx, circle_.cy, block.wanted);
      for (int i = 0; i < width; ++i) {
        const float part = static_cast<float>(weight[i]) * block.part[i];
        f(part, block.dx[i], block.dy, sample.value[i], sample.variance[i],
          [&](int k, double added) { pixels.of[k][i] = added; });
      }
    };
    return lanes.template sum_in_circle<N>(all, circle_, add);
  }

 private:
  /// Returns the profile of the window along one axis. The window is the product of the profiles along x and y.
  SRCEXTRACT_HOST_DEVICE double along(float distance) const {
    const double d = distance;
    return exp_in_float_range(-d * d * steepness_);
  }

  PlacedCircle<11, double> circle_;
  float radius_;
  double steepness_;
};

/// SExtractor's windowed parameters (manual, "Windowed positional parameters"). The FWHM of the Gaussian window is
/// twice the half-light radius of FLUX_AUTO. In each round the window is moved by twice the offset of the centroid of
/// the light in the window. The last round is the first whose offset is below 1e-4 pixel, or the 16th; NITER_WIN is 17
/// if 16 rounds were not enough. Moments are measured in the last window, about the centroid of its light.
struct WindowFamily {
  using Row = WindowedSource;
  static constexpr const char* name = "window";
  using uses = FamilyList<LightRadiusFamily>;

  explicit WindowFamily(const Settings&) {}
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  /// Whether the window of the source is higher than three bands (circle_parts.hpp), which have `band_rows` rows each.
  SRCEXTRACT_HOST_DEVICE static bool is_large(const SourceWith<uses>& source) {
    return 4 * width_of_window(source.of<LightRadiusFamily>().half_light) > 1.5 * band_rows;
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE WindowedSource measure(const Lanes& lanes, const SourceWith<uses>& source,
                                                const PhotometryImage& image, int) const {
    return measure_in(lanes, source, image, image);
  }

  /// Measures the light in `image`. Isophotal values that replace windowed values are measured in `found_in`.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE WindowedSource measure_in(const Lanes& lanes, const SourceWith<uses>& source,
                                                   const PhotometryImage& found_in,
                                                   const PhotometryImage& image) const {
    constexpr float widest = 1e8F;  // larger than any image
    if (!source.shape.defined || !(source.shape.a < widest)) return undefined();
    const auto sigma = static_cast<float>(width_of_window(source.of<LightRadiusFamily>().half_light));
    WindowedSource result{};
    result.x = source.shape.x;
    result.y = source.shape.y;
    const Centroid centroid = come_to_rest(lanes, source, image, sigma, result);
    measure_moments(lanes, source, image, GaussianWindow(centroid.x, centroid.y, sigma), centroid, result);
    if (strays(source.shape, result)) result.flags_win |= window_flag::strayed;
    if (result.flags_win != 0) {
      result.x = source.shape.x;
      result.y = source.shape.y;
      result.moments = widened(moments_about(*source.found, offset_of(source.shape, *source.found)));
      result.noise = isophotal_noise(lanes, source, found_in);
    }
    return result;
  }

  static constexpr RowColumn<WindowedSource> columns[] = {
      {"XWIN_IMAGE", "pixel", "pos.cartesian.x;instr.det", "x under a Gaussian window that follows it, 1-based",
       "windowed", [](const WindowedSource& row, const FluxCalibration&) { return row.x + 1; }},
      {"YWIN_IMAGE", "pixel", "pos.cartesian.y;instr.det", "y under that window, 1-based", "windowed",
       [](const WindowedSource& row, const FluxCalibration&) { return row.y + 1; }},
      {"X2WIN_IMAGE", "pixel**2", "stat.variance;pos.cartesian.x;instr.det", "Variance along x under that window",
       "windowed", [](const WindowedSource& row, const FluxCalibration&) { return row.moments.x2; }},
      {"Y2WIN_IMAGE", "pixel**2", "stat.variance;pos.cartesian.y;instr.det", "Variance along y under that window",
       "windowed", [](const WindowedSource& row, const FluxCalibration&) { return row.moments.y2; }},
      {"XYWIN_IMAGE", "pixel**2", "stat.covariance;pos.cartesian;instr.det", "Covariance of x and y under that window",
       "windowed", [](const WindowedSource& row, const FluxCalibration&) { return row.moments.xy; }},
      {"ERRX2WIN_IMAGE", "pixel**2", x2_error_ucd, "Variance of XWIN_IMAGE by noise", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) { return row.noise.moments(at).x2; }},
      {"ERRY2WIN_IMAGE", "pixel**2", y2_error_ucd, "Variance of YWIN_IMAGE by noise", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) { return row.noise.moments(at).y2; }},
      {"ERRXYWIN_IMAGE", "pixel**2", xy_error_ucd, "Their covariance by noise", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) { return row.noise.moments(at).xy; }},
      {"ERRAWIN_IMAGE", "pixel", "stat.error;phys.angSize.smajAxis;instr.det",
       "RMS error of the windowed position along its major axis", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) { return row.noise_ellipse(at).a; }},
      {"ERRBWIN_IMAGE", "pixel", "stat.error;phys.angSize.sminAxis;instr.det",
       "RMS error of the windowed position along its minor axis", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) { return row.noise_ellipse(at).b; }},
      {"ERRTHETAWIN_IMAGE", "deg", "stat.error;pos.posAng;instr.det", "Angle of that major axis, from x towards y",
       "windowed", [](const WindowedSource& row, const FluxCalibration& at) { return row.noise_ellipse(at).theta; }},
      {"ERRCXXWIN_IMAGE", "pixel**(-2)", "stat.error;src.morph.param;instr.det",
       "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1 of these errors", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) { return form_of(row.noise.moments(at)).cxx; }},
      {"ERRCYYWIN_IMAGE", "pixel**(-2)", "stat.error;src.morph.param;instr.det", "Of that ellipse", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) { return form_of(row.noise.moments(at)).cyy; }},
      {"ERRCXYWIN_IMAGE", "pixel**(-2)", "stat.error;src.morph.param;instr.det", "Of that ellipse", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) { return form_of(row.noise.moments(at)).cxy; }},
      {"AWIN_IMAGE", "pixel", "phys.angSize.smajAxis;instr.det", "Profile RMS along the major axis, windowed",
       "windowed", [](const WindowedSource& row, const FluxCalibration&) { return row.ellipse().a; }},
      {"BWIN_IMAGE", "pixel", "phys.angSize.sminAxis;instr.det", "Profile RMS along the minor axis, windowed",
       "windowed", [](const WindowedSource& row, const FluxCalibration&) { return row.ellipse().b; }},
      {"THETAWIN_IMAGE", "deg", "pos.posAng;instr.det", "Angle of the windowed major axis, from x towards y",
       "windowed", [](const WindowedSource& row, const FluxCalibration&) { return row.ellipse().theta; }},
      {"POLARWIN_IMAGE", "", "src.ellipticity", "(AWIN_IMAGE^2 - BWIN_IMAGE^2) / (AWIN_IMAGE^2 + BWIN_IMAGE^2)",
       "windowed", [](const WindowedSource& row, const FluxCalibration&) { return polarisation_of(row.moments); }},
      {"CXXWIN_IMAGE", "pixel**(-2)", "src.morph.param;instr.det",
       "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1, windowed", "windowed",
       [](const WindowedSource& row, const FluxCalibration&) { return form_of(row.moments).cxx; }},
      {"CYYWIN_IMAGE", "pixel**(-2)", "src.morph.param;instr.det", "Of that ellipse", "windowed",
       [](const WindowedSource& row, const FluxCalibration&) { return form_of(row.moments).cyy; }},
      {"CXYWIN_IMAGE", "pixel**(-2)", "src.morph.param;instr.det", "Of that ellipse", "windowed",
       [](const WindowedSource& row, const FluxCalibration&) { return form_of(row.moments).cxy; }},
      {"FLUX_WIN", pixel_sum_unit, flux_ucd, "Sum of pixels times the window", "windowed",
       LightOf<WindowedSource>::flux},
      {"FLUXERR_WIN", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_WIN", "windowed",
       LightOf<WindowedSource>::error},
      {"MAG_WIN", "mag", magnitude_ucd, "Magnitude of FLUX_WIN; 99 if that is not above 0", "windowed",
       LightOf<WindowedSource>::magnitude},
      {"MAGERR_WIN", "mag", magnitude_error_ucd, "RMS error of MAG_WIN", "windowed",
       LightOf<WindowedSource>::magnitude_error},
      {"SNR_WIN", "", "stat.snr", "FLUX_WIN / FLUXERR_WIN", "windowed",
       [](const WindowedSource& row, const FluxCalibration& at) {
         return row.error(at) > 0 ? row.flux / row.error(at) : undefined_value;
       }},
      {"NITER_WIN", "", "meta.number", "Rounds until the window was at rest; 17 if it was not", "windowed",
       [](const WindowedSource& row, const FluxCalibration&) { return static_cast<std::int16_t>(row.rounds); }},
      {"FLAGS_WIN", "", "meta.code",
       "1 no ellipse, 2 negative variance, 4 no light, 8 strayed: then values are isophotal", "windowed",
       [](const WindowedSource& row, const FluxCalibration&) { return static_cast<std::int16_t>(row.flags_win); }},
  };

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  /// The position of the final window, and the weighted sums of light in this window.
  struct Centroid {
    double x, y;
    double light, light_x, light_y;
  };

  SRCEXTRACT_HOST_DEVICE static WindowedSource undefined() {
    WindowedSource result{};
    result.x = result.y = nan;
    result.moments = {nan, nan, nan};
    result.noise.flux = result.flux = result.variance = nan;
    result.flags_win = window_flag::no_light;
    return result;
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static Centroid come_to_rest(const Lanes& lanes, const MeasuredSource& source,
                                                      const PhotometryImage& image, float sigma,
                                                      WindowedSource& result) {
    constexpr std::int32_t most_rounds = 16;
    constexpr double at_rest = 1e-8;
    Centroid last{};
    for (result.rounds = 1; result.rounds <= most_rounds; ++result.rounds) {
      const GaussianWindow window(result.x, result.y, sigma);
      if (window.box(image).cut) result.flags |= flag::aperture_cut;
      const Sums<3> sums = window.template sum<3>(
          lanes, source.number, image, [](float weight, float dx, float dy, double value, double, const auto& add) {
            const double light = weight * value;
            add(0, light);
            add(1, light * dx);
            add(2, light * dy);
          });
      last = {result.x, result.y, sums.of[0], sums.of[1], sums.of[2]};
      if (!(last.light > 0)) break;
      const double dx = last.light_x / last.light, dy = last.light_y / last.light;
      result.x += 2 * dx;
      result.y += 2 * dy;
      if (dx * dx + dy * dy < at_rest) break;
    }
    return last;
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static void measure_moments(const Lanes& lanes, const MeasuredSource& source,
                                                     const PhotometryImage& image, const GaussianWindow& window,
                                                     const Centroid& centroid, WindowedSource& result) {
    const double share = image.photon_share;
    const bool photons_apart = share == 0;
    const Sums<11> sums = window.template sum<11>(
        lanes, source.number, image,
        [share, photons_apart](float weight, float dx, float dy, double value, double of_sky, const auto& add) {
          constexpr double of_pixel = 0.0833;
          const double variance = PhotometryImage::with_photons(share, 1, value, of_sky);
          const double light = weight * value, square = static_cast<double>(weight) * weight;
          const double noise = square * variance, photons = value > 0 && photons_apart ? square * value : 0;
          const double x2 = dx * dx + of_pixel, y2 = dy * dy + of_pixel, xy = dx * dy;
          add(0, light * dx * dx);
          add(1, light * dy * dy);
          add(2, light * dx * dy);
          add(3, noise);
          add(4, noise * x2);
          add(5, noise * y2);
          add(6, noise * xy);
          add(7, photons);
          add(8, photons * x2);
          add(9, photons * y2);
          add(10, photons * xy);
        });
    result.flux = centroid.light;
    result.variance = sums.of[3];
    result.photons = sums.of[7];
    result.noise = {{sums.of[3], sums.of[4], sums.of[5], sums.of[6]},
                    {sums.of[7], sums.of[8], sums.of[9], sums.of[10]},
                    centroid.light / 2,  // half, because the window moves by twice the offset of the centroid
                    0,
                    0};
    // SExtractor also tests the moments of a window without light, with sums in place of means.
    const double light = centroid.light, divisor = light > 0 ? light : 1;
    const double dx = centroid.light_x / divisor, dy = centroid.light_y / divisor;
    const SecondMoments m{sums.of[0] / light - dx * dx, sums.of[1] / light - dy * dy, sums.of[2] / light - dx * dy};
    result.moments = widened(m);
    if (m.x2 * m.y2 - m.xy * m.xy < 0) result.flags_win |= window_flag::no_ellipse;
    if (m.x2 < 0 || m.y2 < 0) result.flags_win |= window_flag::negative_variance;
    if (!(light > 0)) result.flags_win |= window_flag::no_light;
  }

  SRCEXTRACT_HOST_DEVICE static bool strays(const SourceShape& shape, const WindowedSource& result) {
    const double dx = result.x - shape.x, dy = result.y - shape.y;
    return std::fabs(dx) > 1 && std::fabs(dy) > 1 &&
           shape.cxx * dx * dx + shape.cyy * dy * dy + shape.cxy * dx * dy > 1;
  }
};

inline void record_fields(const Buffer<WindowedSource, Cpu>& rows, FieldRecorder& to) {
  to.members("x", Element::source, rows, &WindowedSource::x);
  to.members("y", Element::source, rows, &WindowedSource::y);
  to.members("flux", Element::source, rows, &WindowedSource::flux);
  to.members("variance", Element::source, rows, &WindowedSource::variance);
  to.members("photons", Element::source, rows, &WindowedSource::photons);
  const auto add = [&](const std::string& what, const auto& get) { to.members(what, Element::source, rows, get); };
  add("x2", [](const WindowedSource& row) { return row.moments.x2; });
  add("y2", [](const WindowedSource& row) { return row.moments.y2; });
  add("xy", [](const WindowedSource& row) { return row.moments.xy; });
  for (int i = 0; i < 4; ++i) {
    add("noise of pixels " + std::to_string(i), [i](const WindowedSource& row) { return row.noise.pixels[i]; });
    add("noise of photons " + std::to_string(i), [i](const WindowedSource& row) { return row.noise.photons[i]; });
  }
  to.members("rounds", Element::source, rows, &WindowedSource::rounds);
  to.members("flags of the window", Element::source, rows, &WindowedSource::flags_win);
  to.members("flags", Element::source, rows, &WindowedSource::flags);
}

}  // namespace srcextract
