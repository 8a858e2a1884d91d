#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/photometry/photometry_image.hpp"
#include "stages/photometry/psf_fit.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Fits the shape of a star (StarProfile) to a source of a difference image, and measures its position and flux.
/// - Starting at the source's peak, the fit moves from pixel to pixel to the nearest local maximum of significance. The
///   position is the top of a parabola through the nine pixels about this maximum. The flux is NaN if the maximum is
///   further away than the filter's half width, or in a pixel of another source: no two sources share a star.
/// - With filter f and shape p at this position, the flux is sum(f d) / sum(f p) over the pixels d that are not masked.
/// - The variance is the sum of four parts: the correlated noise of the sky, the excess of the variance map over this
///   noise, photon noise that the map does not contain, and the error of the shape (StarView::scale_error), which all
///   fluxes of an image share. The photons are those of the change and of a star that is present in both input images.
///
/// This flux has the least variance against the noise of the sky (King 1983, PASP 95, 163, for independent pixels).
/// Light of neighbours is not subtracted. FLAGS has flag::sharp if the source is sharper than a star. The flux is NaN
/// unless more than half of sum(f p) over the pixels inside the image is from good pixels.
///
/// If a file gives the PSF (psf.file), PsfFit measures the same columns instead.
struct StarFamily {
  using Row = StarLight;
  static constexpr const char* name = "star";
  static constexpr const char* numbers_key = psf_key;
  static bool is_known(const Settings& config) {
    return config.resources.has_star_profile || config.resources.numbers_of(psf_key) != nullptr;
  }
  static constexpr RowColumn<StarLight> columns[] = {
      {"FLUX_PSF", pixel_sum_unit, flux_ucd, "Flux of the star that fits best", "photometry", LightOf<StarLight>::flux},
      {"FLUXERR_PSF", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_PSF", "photometry", LightOf<StarLight>::error},
      {"MAG_PSF", "mag", magnitude_ucd, "Magnitude of FLUX_PSF; 99 if that is not above 0", "photometry",
       LightOf<StarLight>::magnitude},
      {"MAGERR_PSF", "mag", magnitude_error_ucd, "RMS error of MAG_PSF", "photometry",
       LightOf<StarLight>::magnitude_error},
      {"XPSF_IMAGE", "pixel", "pos.cartesian.x;instr.det", "x of the star that fits best, 1-based", "psf",
       [](const StarLight& row, const FluxCalibration&) { return row.x + 1; }},
      {"YPSF_IMAGE", "pixel", "pos.cartesian.y;instr.det", "y of the star that fits best, 1-based", "psf",
       [](const StarLight& row, const FluxCalibration&) { return row.y + 1; }},
      {"CHI2_PSF", "", "stat.fit.chi2", "Reduced chi^2 of the star that fits best", "psf",
       [](const StarLight& row, const FluxCalibration& at) {
         constexpr int unknowns = 3;
         return row.good > unknowns ? row.misfit / (at.pixel * (row.good - unknowns))
                                    : std::numeric_limits<double>::quiet_NaN();
       }},
  };

  PsfModel psf;  ///< known() is false if the image has a StarProfile instead
  PsfWeights weights;

  explicit StarFamily(const Settings& config) : weights(config.psf.weights) {
    if (config.resources.has_star_profile) return;
    if (const std::vector<double>* const numbers = config.resources.numbers_of(psf_key))
      psf = PsfModel(numbers->data());
  }
  void take_numbers(const double* on_device) { psf.numbers = on_device; }
  int scratch() const { return psf.known() ? PsfStamp<HostLanes>::numbers_for(psf, 1) : 0; }
  SRCEXTRACT_HOST_DEVICE int rows() const { return 1; }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE StarLight measure(const Lanes& lanes, const MeasuredSource& source,
                                           const PhotometryImage& image, int) const {
    return psf.known() ? measure_by_psf(lanes, source, image) : measure_by_profile(lanes, source, image);
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE StarLight measure_by_psf(const Lanes& lanes, const MeasuredSource& source,
                                                  const PhotometryImage& image) const {
    return PsfFit<Lanes>(lanes, psf, weights, source, image).fit(*source.found, source.shape.x, source.shape.y);
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE StarLight measure_by_profile(const Lanes& lanes, const MeasuredSource& source,
                                                      const PhotometryImage& image) const {
    std::int32_t x = source.found->xpeak, y = source.found->ypeak;
    const FieldTerms terms = image.star.at(x, y);
    for (int step = 0; step <= image.star.filter.half; ++step) {
      const Peak peak = climb(lanes, x, y, image, terms);
      if (peak.dx == 0 && peak.dy == 0 && is_of_another(source.number, x, y, image)) return unknown();
      if (peak.dx == 0 && peak.dy == 0)
        return light_at(lanes, image, image.unit_for(source.number), x + peak.x, y + peak.y, terms);
      x += peak.dx;
      y += peak.dy;
    }
    return unknown();
  }

 private:
  /// The most significant of nine pixels: (dx, dy) is its offset from the middle pixel. If the middle pixel is the most
  /// significant, (x, y) is the offset of the parabola's top.
  struct Peak {
    std::int32_t dx, dy;
    double x, y;
  };

  SRCEXTRACT_HOST_DEVICE static StarLight unknown() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan, nan, nan, 0, 0};
  }

  /// Whether the pixel belongs to another source, whose star the fit would find. It may be outside the image.
  SRCEXTRACT_HOST_DEVICE static bool is_of_another(std::int32_t number, std::int32_t x, std::int32_t y,
                                                   const PhotometryImage& image) {
    if (image.owner == nullptr || x < 0 || y < 0 || x >= image.width || y >= image.height) return false;
    const std::int32_t owner = image.owner[image.at(x, y)];
    return owner > nobodys_pixel && owner != number;
  }

  SRCEXTRACT_HOST_DEVICE static ApertureBox box_about(std::int32_t x, std::int32_t y, int reach,
                                                      const PhotometryImage& image) {
    return box_within(x - reach, x + reach + 1, y - reach, y + reach + 1, image.width, image.height);
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static Peak climb(const Lanes& lanes, std::int32_t peak_x, std::int32_t peak_y,
                                           const PhotometryImage& image, const FieldTerms& terms) {
    const FieldSquare& filter = image.star.filter;
    const ApertureBox box = box_about(peak_x, peak_y, filter.half + 1, image);
    const Sums<18> sums = lanes.template sum<18>(box, [&](std::int32_t x, std::int32_t y) -> Sums<18> {
      Sums<18> all{};
      const std::int64_t i = image.at(x, y);
      if (image.is_bad(i)) return all;
      const double light = image.pixels[i] - image.background;
      for (int k = 0; k < 9; ++k) {
        const std::int64_t column = x - peak_x - (k % 3 - 1), row = y - peak_y - (k / 3 - 1);
        const double f = filter.node(column, row, terms);
        all.of[k] = light * f;
        all.of[9 + k] = f * image.star.light.node(column, row, terms);
      }
      return all;
    });
    double s[9];  // significance at the nine pixels
    for (int k = 0; k < 9; ++k) s[k] = sums.of[9 + k] > 0 ? sums.of[k] / std::sqrt(sums.of[9 + k]) : 0;
    int best = 4;
    for (int k = 0; k < 9; ++k)
      if (s[k] > s[best]) best = k;
    if (best != 4) return {best % 3 - 1, best / 3 - 1, 0, 0};
    const double slope_x = (s[5] - s[3]) / 2, slope_y = (s[7] - s[1]) / 2;
    const double bend_x = 2 * s[4] - s[3] - s[5], bend_y = 2 * s[4] - s[1] - s[7];
    const double twist = (s[8] - s[6] - s[2] + s[0]) / 4;
    const double area = bend_x * bend_y - twist * twist;
    if (!(bend_x > 0 && area > 0)) return {0, 0, 0, 0};
    const double x = (slope_x * bend_y + slope_y * twist) / area, y = (slope_y * bend_x + slope_x * twist) / area;
    return x >= -1 && x <= 1 && y >= -1 && y <= 1 ? Peak{0, 0, x, y} : Peak{0, 0, 0, 0};
  }

  /// Returns the photon variance that the pixels' variances do not contain: of the change, and of a star that is
  /// present in both input images. `excess` is the pixels' variance in excess of the sky noise, from which the
  /// brightness of this star is estimated.
  SRCEXTRACT_HOST_DEVICE static double photons_left_out(const StarView& star, double flux, double excess) {
    const double change = flux > 0 ? flux : 0, counted = star.brighter.counted + star.fainter.counted;
    double both = counted > 0 ? (excess - change * star.brighter.counted) / counted : 0;
    both = both > 0 ? both : 0;
    return (change + both) * star.brighter.left_out + both * star.fainter.left_out;
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static StarLight light_at(const Lanes& lanes, const PhotometryImage& image, double unit,
                                                   double at_x, double at_y, const FieldTerms& terms) {
    const StarView& star = image.star;
    const Placement place(at_x, at_y);
    const ApertureBox box =
        box_about(static_cast<std::int32_t>(place.x), static_cast<std::int32_t>(place.y), star.filter.half + 1, image);
    enum { light, shape, whole, squares, more, chi, mixed, model, count, sums };
    const Sums<sums> s = lanes.template sum<sums>(box, [&](std::int32_t x, std::int32_t y) -> Sums<sums> {
      Sums<sums> all{};
      const double f = place.value(star.filter, x, y, terms), p = place.value(star.light, x, y, terms);
      const std::int64_t i = image.at(x, y);
      all.of[whole] = f * p;
      if (image.is_bad(i)) return all;
      const double d = image.pixels[i] - image.background, variance = image.variance_at(i);
      all.of[light] = f * d;
      all.of[shape] = f * p;
      all.of[squares] = f * f;
      all.of[more] = f * f * (variance - 1);
      all.of[chi] = d * d / variance;
      all.of[mixed] = d * p / variance;
      all.of[model] = p * p / variance;
      all.of[count] = 1;
      return all;
    });
    const double of_star = s.of[shape];
    if (!(of_star > s.of[whole] / 2)) return unknown();
    const double flux = s.of[light] / of_star, square = of_star * of_star;
    const double variance = (star.correlation * s.of[squares] + star.correlation_of_excess * s.of[more]) / square +
                            photons_left_out(star, flux, s.of[more] / square) + star.variance_of_shape(flux, unit);
    const double left = s.of[chi] - 2 * flux * s.of[mixed] + flux * flux * s.of[model];
    const std::int32_t flags = is_sharp(lanes, image, unit, flux, at_x, at_y, terms) ? flag::sharp : 0;
    return {flux, at_x, at_y, variance, left > 0 ? left : 0, static_cast<std::int32_t>(s.of[count]), flags};
  }

  /// A line of pixels and the two lines beside it, `side` steps away: along x, along y, or along a diagonal
  /// (`direction` 0 to 3). The contrast of the line is its sum minus the mean sum of both others.
  struct Line {
    int direction;
    std::int64_t side, end;  ///< `end`: steps from the middle of a line to its ends

    /// Of a diagonal, pixels are two steps apart.
    SRCEXTRACT_HOST_DEVICE Line(int of_direction, std::int64_t length)
        : direction(of_direction),
          side(of_direction < 2 ? length : 2 * ((2 * length + 1) / 3)),
          end(side + (of_direction < 2 ? 1 : 2)) {}

    /// Returns the weight of a pixel in the contrast; (x, y) is its offset from the middle.
    SRCEXTRACT_HOST_DEVICE double weight(std::int64_t x, std::int64_t y) const {
      const std::int64_t sum = x + y, rest = x - y;
      const std::int64_t along = direction == 0 ? x : (direction == 1 ? y : (direction == 2 ? sum : rest));
      const std::int64_t across = direction == 0 ? y : (direction == 1 ? x : (direction == 2 ? rest : sum));
      if (along < -end || along > end) return 0;
      return across == 0 ? 1 : (across == side || across == -side ? -0.5 : 0);
    }
  };

  /// A strip of 5 x 5 pixels about a star's position, in one of eight directions 22.5 degrees apart. Its contrast is a
  /// line one pixel wide minus the lines beside it. Weights follow the position, not the pixels: light between two rows
  /// of pixels counts as well as light in one.
  struct Strip {
    static constexpr int directions = 8;
    double cosine, sine;

    SRCEXTRACT_HOST_DEVICE explicit Strip(int direction) {
      constexpr double quarter[] = {1, 0.92387953251128674, 0.70710678118654752, 0.38268343236508977, 0};
      cosine = direction <= 4 ? quarter[direction] : -quarter[directions - direction];
      sine = quarter[direction <= 4 ? 4 - direction : direction - 4];
    }
    SRCEXTRACT_HOST_DEVICE static double triangle(double x) {
      const double left = 1 - std::fabs(x);
      return left > 0 ? left : 0;
    }
    SRCEXTRACT_HOST_DEVICE double across(double x, double y) const { return std::fabs(y * cosine - x * sine); }
    SRCEXTRACT_HOST_DEVICE bool contains(double x, double y) const {
      constexpr double end = 2.5;
      return std::fabs(x * cosine + y * sine) <= end && across(x, y) <= end;
    }
    /// Returns the weight of a pixel of the strip in the contrast; (x, y) is its offset from the position.
    SRCEXTRACT_HOST_DEVICE double weight(double x, double y) const {
      constexpr double side = 1.5;
      return triangle(across(x, y)) - triangle(across(x, y) - side) / 2;
    }
  };

  /// Whether light about a star's position is a track of a cosmic ray, where stars are so narrow that lines of whole
  /// pixels hardly tell. In one of the directions the contrast must be half as large again as that of a star of this
  /// flux, and by 4 sigmas: a track is longer. For all light of the strip it must be 1.3 times that of a star: a track
  /// is also narrower, unlike the trail of something that moves.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static bool is_track(const Lanes& lanes, const PhotometryImage& image, double unit,
                                              double flux, double at_x, double at_y, const FieldTerms& terms) {
    constexpr int at_once = 4, reach = 4;
    constexpr double most_contrast = 1.5, clear = 4, narrower = 1.3;
    const Placement place(at_x, at_y);
    const ApertureBox box = box_about(static_cast<std::int32_t>(std::floor(at_x + 0.5)),
                                      static_cast<std::int32_t>(std::floor(at_y + 0.5)), reach, image);
    enum { contrast, of_shape, variance, light, shape, sums };
    bool is_any = false;
    for (int first = 0; first < Strip::directions; first += at_once) {
      const auto all = lanes.template sum<sums * at_once>(box, [&](std::int32_t x, std::int32_t y) {
        Sums<sums * at_once> of_pixel{};
        const std::int64_t i = image.at(x, y);
        if (image.is_bad(i)) return of_pixel;
        const double d = image.pixels[i] - image.background, p = place.value(image.star.light, x, y, terms);
        const double noise = image.variance_at(i);
        for (int k = 0; k < at_once; ++k) {
          const Strip strip(first + k);
          if (!strip.contains(x - at_x, y - at_y)) continue;
          const double weight = strip.weight(x - at_x, y - at_y);
          double* const s = of_pixel.of + std::ptrdiff_t{k} * sums;
          s[contrast] = weight * d;
          s[of_shape] = weight * p;
          s[variance] = weight * weight * noise;
          s[light] = d;
          s[shape] = p;
        }
        return of_pixel;
      });
      for (int k = 0; k < at_once; ++k) {
        const double* const s = all.of + std::ptrdiff_t{k} * sums;
        const double of_star = flux * s[of_shape], beyond = s[contrast] - of_star;
        const bool is_clear = beyond > 0 && beyond * beyond > clear * clear * unit * s[variance];
        const bool is_narrow = s[contrast] * s[shape] > narrower * s[of_shape] * s[light];
        if (is_clear && is_narrow && s[contrast] > most_contrast * of_star) is_any = true;
      }
    }
    return is_any;
  }

  /// Whether the pixels about a star's position stand out of their neighbours more than a star of this flux can, across
  /// any of four directions. Tracks of cosmic rays do, and hot pixels. Lines are as far apart as half the full width of
  /// stars. The contrast must be half as large again as that of a star, and by 3.3 sigmas: the shape of stars is not
  /// known better than to some per cent. Lines that are one pixel apart need is_track(), too.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE static bool is_sharp(const Lanes& lanes, const PhotometryImage& image, double unit,
                                              double flux, double at_x, double at_y, const FieldTerms& terms) {
    constexpr int directions = 4;
    constexpr double most_contrast = 1.5, clear = 3.3;
    const int length = image.star.filter.half / 3;  // the filter's half width is 1.5 full widths
    const Placement place(at_x, at_y);
    const auto middle_x = static_cast<std::int32_t>(std::floor(at_x + 0.5));
    const auto middle_y = static_cast<std::int32_t>(std::floor(at_y + 0.5));
    const ApertureBox box = box_about(middle_x, middle_y, 2 * length + 1, image);
    const Sums<3 * directions> s =
        lanes.template sum<3 * directions>(box, [&](std::int32_t x, std::int32_t y) -> Sums<3 * directions> {
          Sums<3 * directions> all{};
          const std::int64_t i = image.at(x, y);
          if (image.is_bad(i)) return all;
          const double d = image.pixels[i] - image.background, p = place.value(image.star.light, x, y, terms);
          const double variance = image.variance_at(i);
          for (int k = 0; k < directions; ++k) {
            const double weight = Line(k, length).weight(x - middle_x, y - middle_y);
            double* const sums = all.of + std::ptrdiff_t{3} * k;
            sums[0] = weight * d;
            sums[1] = weight * p;
            sums[2] = weight * weight * variance;
          }
          return all;
        });
    bool is_any = length == 1 && is_track(lanes, image, unit, flux, at_x, at_y, terms);
    for (int k = 0; k < directions; ++k) {
      const double* const sums = s.of + std::ptrdiff_t{3} * k;
      const double of_star = flux * sums[1], beyond = sums[0] - of_star;
      const bool is_clear = beyond > 0 && beyond * beyond > clear * clear * unit * sums[2];
      if (is_clear && sums[0] > most_contrast * of_star) is_any = true;
    }
    return is_any;
  }
};

inline void record_fields(const Buffer<StarLight, Cpu>& rows, FieldRecorder& to) {
  to.members("flux of the star", Element::source, rows, &StarLight::flux);
  to.members("x of the star", Element::source, rows, &StarLight::x);
  to.members("y of the star", Element::source, rows, &StarLight::y);
  to.members("variance by pixels", Element::source, rows, &StarLight::pixels);
  to.members("misfit", Element::source, rows, &StarLight::misfit);
}

}  // namespace srcextract
