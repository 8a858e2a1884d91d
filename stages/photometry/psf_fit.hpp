#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/measure/flux_calibration.hpp"
#include "stages/photometry/measured_source.hpp"
#include "stages/photometry/photometry_image.hpp"
#include "stages/photometry/psf_stamp.hpp"
#include "stages/settings/psf.hpp"

namespace srcextract {

/// Flux and position of the PSF fitted to a source. Sums are over the pixels in the box of the fit.
struct StarLight {
  double flux, x, y;  ///< position in pixels from 0
  /// variance of the flux in units of FluxCalibration::pixel, including all photon noise that the fit knows
  double pixels;
  double misfit;      ///< sum of (pixel - fitted PSF)^2 / (variance of the pixel in units of FluxCalibration::pixel)
  std::int32_t good;  ///< number of pixels that are not masked
  std::int32_t flags;

  bool operator==(const StarLight&) const = default;

  double error(const FluxCalibration& at) const { return std::sqrt(pixels * at.pixel); }
};

/// The box of pixels in which a PSF is fitted. The box may extend outside the image.
struct FitBox {
  std::int64_t x_begin, x_end, y_begin, y_end;

  SRCEXTRACT_HOST_DEVICE bool has(double x, double y) const {
    return x >= static_cast<double>(x_begin) && x < static_cast<double>(x_end) && y >= static_cast<double>(y_begin) &&
           y < static_cast<double>(y_end);
  }
  /// The box as an ApertureBox that is not limited to the image.
  SRCEXTRACT_HOST_DEVICE ApertureBox whole() const {
    return {static_cast<std::int32_t>(x_begin), static_cast<std::int32_t>(x_end), static_cast<std::int32_t>(y_begin),
            static_cast<std::int32_t>(y_end), false};
  }
  SRCEXTRACT_HOST_DEVICE ApertureBox within(const PhotometryImage& image) const {
    return box_within(static_cast<double>(x_begin), static_cast<double>(x_end), static_cast<double>(y_begin),
                      static_cast<double>(y_end), image.width, image.height);
  }
};

/// Width pixels of a row: pixel value minus background, and variance in units of FluxCalibration::pixel.
template <int Width>
struct StarPixels {
  double light[Width], variance[Width], good[Width];  ///< good: 1 for a usable pixel; 0 for others, whose light is 0
};

/// Computes the variance of each pixel in a fit of a PSF; the weight is the inverse of the variance.
struct PsfNoise {
  PsfWeights weights;
  std::int32_t number;  ///< number of the source
  double photons;       ///< photon variance per count of light, in units of FluxCalibration::pixel
  double local_sky;     ///< local sky that is subtracted from the star's pixels

  SRCEXTRACT_HOST_DEVICE PsfNoise(PsfWeights of, const MeasuredSource& source, const PhotometryImage& image)
      : weights(of), number(source.number), photons(image.photons_for(source.number)), local_sky(source.local_sky) {}

  /// Whether weights depend on the flux that the previous round of the fit found.
  SRCEXTRACT_HOST_DEVICE bool follows_flux() const { return photons > 0 && weights == PsfWeights::model; }

  /// Returns `count` pixels of row y from column x on, with their variances. `shape` is the value of the PSF at these
  /// pixels; `flux` is the star's flux from the previous round.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE StarPixels<Width> at(std::int32_t x, std::int32_t y, int count, const PhotometryImage& image,
                                              double flux, const double* shape) const {
    const std::int64_t here = image.at(x, y);
    StarPixels<Width> all;
    for (int i = 0; i < Width; ++i) {
      const float pixel = i < count ? image.pixels[here + i] : std::numeric_limits<float>::quiet_NaN();
      const double light = pixel - image.background;
      const bool good = light < image.saturation && light > -std::numeric_limits<double>::infinity();
      all.good[i] = good ? 1 : 0;
      all.light[i] = good ? light : 0;
      all.variance[i] = 1;
    }
    if (image.mask != MaskNeighbours::none && image.owner != nullptr) {
      for (int i = 0; i < Width; ++i) {
        const std::int32_t whose = i < count ? image.owner[here + i] : nobodys_pixel;
        const bool good = whose == nobodys_pixel || whose == number;
        all.good[i] = good ? all.good[i] : 0;
        all.light[i] = good ? all.light[i] : 0;
      }
    }
    if (image.variance != nullptr) {
      for (int i = 0; i < Width; ++i) {
        const float own = i < count ? image.variance[here + i] : 1.0F;
        const bool good = own > 0 && own < image.least_bad_variance;
        all.good[i] = good ? all.good[i] : 0;
        all.light[i] = good ? all.light[i] : 0;
        all.variance[i] = good ? static_cast<double>(own) : 1;
      }
    }
    if (photons > 0 && weights != PsfWeights::sky) {
      for (int i = 0; i < Width; ++i) {
        const double light = weights == PsfWeights::data ? all.light[i] : flux * shape[i];
        all.variance[i] += light > 0 ? photons * light : 0;
      }
    }
    for (int i = 0; i < Width; ++i) all.light[i] -= all.good[i] != 0 ? local_sky : 0;
    return all;
  }
};

/// Fits the PSF to a source, as SExtractor's FLUX_PSF with one star per source.
/// - The box of the fit is the source's box, enlarged by PSF_FWHM. The fit starts at the barycentre.
/// - Each round solves least squares for the flux and two shifts. The columns of the equations are the PSF (0 on the
///   edge of the box), and half the differences of the PSF's neighbouring pixels along x and y.
/// - The fit ends after the first round whose shift is at most 0.001 pixel, or after 20 rounds.
/// - The fit fails if flux and shifts cannot be separated, the flux is not above 0, or fewer than 4 pixels are good.
///   The fit also fails if the position leaves the box, is on a bad pixel, or moves too far. With PsfWeights::data a
///   saturated pixel is bad; otherwise the wings of a saturated star are fitted.
/// - A failed fit gives the flux 0, and NaN for variance and misfit.
///
/// Masked and saturated pixels are excluded. Pixels of other sources are also excluded, unless measurement.mask is
/// none. psf.weights selects the weights of the remaining pixels (PsfNoise).
///
/// With PsfWeights::data, results are those of SExtractor 2.25, except that SExtractor computes in float32. The
/// source's box is then enlarged by PSF_FWHM times PSF_SAMP, as is also done with other weights if PSF_SAMP is above 1.
/// A drawback of SExtractor's box: if PSF_SAMP is far below 1 (narrow stars), hardly any pixel is inside the edge of
/// the box.
template <class Lanes>
class PsfFit {
 public:
  SRCEXTRACT_HOST_DEVICE PsfFit(const Lanes& lanes, const PsfModel& model, PsfWeights weights,
                                const MeasuredSource& source, const PhotometryImage& image)
      : lanes_(lanes),
        model_(model),
        image_(image),
        noise_(weights, source, image),
        stamp_(model, lanes.scratch(PsfStamp<Lanes>::numbers_for(model, 1))) {}

  /// Fits flux and position, starting at (x, y) in pixels from 0. Each round evaluates the PSF at its current position.
  SRCEXTRACT_HOST_DEVICE StarLight fit(const SourceSums& found, double x, double y) {
    constexpr int most_rounds = 20;
    constexpr double least_step = 1e-6;  // square of the shift in pixels
    middle_x_ = (std::int64_t{found.xmax} + found.xmin + 1) / 2;
    middle_y_ = (std::int64_t{found.ymax} + found.ymin + 1) / 2;
    box_.x_begin = begin_of(middle_x_, std::int64_t{found.xmax} - found.xmin + 1, box_.x_end);
    box_.y_begin = begin_of(middle_y_, std::int64_t{found.ymax} - found.ymin + 1, box_.y_end);
    begin_at(x, y);
    double step = 1;
    // The star's photon noise is unknown in the first round, so a second round is needed for the error.
    const int least_rounds = noise_.follows_flux() ? 2 : 1;
    for (int round = 0; round < most_rounds && (round < least_rounds || step > least_step); ++round) {
      stamp_.draw(lanes_, x_, y_, box_.whole());
      Solution found_now{};
      if (!solve(found_now)) return failed(x, y);
      flux_ = found_now.flux;
      variance_ = found_now.variance;
      const double dx = flux_ != 0 ? -found_now.x / flux_ : 0, dy = flux_ != 0 ? -found_now.y / flux_ : 0;
      x_ += dx;
      y_ += dy;
      step = dx * dx + dy * dy;
      if (!(flux_ > 0) || moved_too_far()) return failed(x, y);
    }
    if (!ends_on_good_pixel()) return failed(x, y);
    return light();
  }

  /// Fits only the flux of a star at the fixed position (x, y), using all pixels that the PSF's mask covers. The flux
  /// is NaN if too few pixels are good.
  SRCEXTRACT_HOST_DEVICE StarLight forced(double x, double y) {
    constexpr int rounds = 3;  // repeated because weights depend on the flux of the previous round
    begin_at(x, y);
    stamp_.draw(lanes_, x, y, {0, image_.width, 0, image_.height, false});
    const ApertureBox all = stamp_.covered({0, image_.width, 0, image_.height, false}, 0);
    // one pixel larger on each side, since the fit sets the PSF to 0 on the edge of the box
    box_ = {all.x_begin - 1, all.x_end + 1, all.y_begin - 1, all.y_end + 1};
    for (int round = 0; round < (noise_.photons > 0 ? rounds : 1); ++round) {
      const Sums<9> s = sums();
      if (!(s.of[squares] > 0)) return unknown(x, y);
      flux_ = s.of[light_shape] / s.of[squares];
      variance_ = 1 / s.of[squares];
    }
    const StarLight fitted = light();
    return fitted.good > 0 ? fitted : unknown(x, y);
  }

 private:
  struct Solution {
    double flux, x, y, variance;
  };
  enum { xx, xy, yy, xf, yf, squares, light_x, light_y, light_shape };

  /// Returns the first column (or row) of the box about `middle`, for a source that is `size` pixels wide (or high).
  /// Sets `end`.
  SRCEXTRACT_HOST_DEVICE std::int64_t begin_of(std::int64_t middle, std::int64_t size, std::int64_t& end) const {
    const bool as_sextractor = noise_.weights == PsfWeights::data || model_.step > 1;
    const double width = as_sextractor ? model_.fwhm * model_.step : model_.fwhm;
    auto pixels = static_cast<std::int64_t>(static_cast<double>(size) + width);
    const auto least = static_cast<std::int64_t>(width * 2);
    if (pixels < least) pixels = least;
    end = middle - pixels / 2 + pixels;
    return middle - pixels / 2;
  }

  SRCEXTRACT_HOST_DEVICE void begin_at(double x, double y) {
    x_ = x;
    y_ = y;
    flux_ = 0;
    stamp_.go_to(lanes_, x, y);
    stamp_.take(lanes_, model_.light());
  }

  SRCEXTRACT_HOST_DEVICE bool moved_too_far() const {
    const double dx = x_ - static_cast<double>(middle_x_), dy = y_ - static_cast<double>(middle_y_);
    const auto pixels = static_cast<double>((box_.x_end - box_.x_begin) * (box_.y_end - box_.y_begin));
    return !(dx * dx + dy * dy <= pixels / 2);
  }

  SRCEXTRACT_HOST_DEVICE bool ends_on_good_pixel() const {
    const auto truncated = [](double offset) { return static_cast<std::int64_t>(offset + 0.4999); };
    const std::int64_t x = middle_x_ + truncated(x_ - static_cast<double>(middle_x_));
    const std::int64_t y = middle_y_ + truncated(y_ - static_cast<double>(middle_y_));
    if (!box_.has(static_cast<double>(x), static_cast<double>(y))) return false;
    if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return false;
    const auto column = static_cast<std::int32_t>(x), row = static_cast<std::int32_t>(y);
    // The wings tell the place of a saturated star. SExtractor has no flux of such a star.
    if (noise_.weights != PsfWeights::data &&
        image_.pixels[image_.at(column, row)] - image_.background >= image_.saturation)
      return true;
    constexpr double dark = 0;
    return noise_.template at<1>(column, row, 1, image_, 0, &dark).good[0] > 0;
  }

  /// Returns the sums of the normal equations, over all pixels at which the PSF or one of its differences is not 0.
  SRCEXTRACT_HOST_DEVICE Sums<9> sums() const {
    constexpr int width = Lanes::width;
    const ApertureBox box = stamp_.covered(box_.within(image_), 1);
    return lanes_.template sum_of_blocks<9>(
        box, [&](std::int32_t x, std::int32_t y, int count, BlockSums<9, width>& out) {
          const double *const shape = stamp_.at(x, y), *const above = shape - stamp_.stride(),
                              *const below = shape + stamp_.stride();
          const StarPixels<width> pixel = noise_.template at<width>(x, y, count, image_, flux_, shape);
          const double in_rows = y > box_.y_begin && y < box_.y_end - 1 ? 1 : 0;
          for (int i = 0; i < width; ++i) {
            const double in_columns = x + i > box_.x_begin && x + i < box_.x_end - 1 ? 1 : 0;
            const double f = in_rows * in_columns * shape[i];
            const double dx = in_columns * (shape[i + 1] - shape[i - 1]) / 2;
            const double dy = in_rows * (below[i] - above[i]) / 2;
            const double weight = pixel.good[i] / pixel.variance[i];
            const double of_x = weight * dx, of_y = weight * dy, of_f = weight * f;
            out.of[xx][i] = of_x * dx;
            out.of[xy][i] = of_x * dy;
            out.of[yy][i] = of_y * dy;
            out.of[xf][i] = of_x * f;
            out.of[yf][i] = of_y * f;
            out.of[squares][i] = of_f * f;
            out.of[light_x][i] = of_x * pixel.light[i];
            out.of[light_y][i] = of_y * pixel.light[i];
            out.of[light_shape][i] = of_f * pixel.light[i];
          }
        });
  }

  /// Solves the normal equations: eliminates the shifts, then solves for the flux. Returns false if a pivot is too
  /// small to separate flux and shifts.
  SRCEXTRACT_HOST_DEVICE bool solve(Solution& out) const {
    constexpr double least_pivot = 1e-11;
    const Sums<9> s = sums();
    if (!(s.of[xx] > 0)) return false;
    const double of_y = s.of[xy] / s.of[xx], of_f = s.of[xf] / s.of[xx];
    const double yy_left = s.of[yy] - of_y * s.of[xy], yf_left = s.of[yf] - of_y * s.of[xf];
    if (!(yy_left > least_pivot * s.of[yy])) return false;
    const double f_by_y = yf_left / yy_left;
    const double light_y_left = s.of[light_y] - of_y * s.of[light_x];
    const double ff_left = s.of[squares] - of_f * s.of[xf] - f_by_y * yf_left;
    if (!(ff_left > least_pivot * s.of[squares])) return false;
    out.flux = (s.of[light_shape] - of_f * s.of[light_x] - f_by_y * light_y_left) / ff_left;
    out.y = (light_y_left - yf_left * out.flux) / yy_left;
    out.x = (s.of[light_x] - s.of[xf] * out.flux - s.of[xy] * out.y) / s.of[xx];
    out.variance = 1 / ff_left;
    return true;
  }

  /// Returns the result of the fit, with the misfit over the whole box; failed() if fewer than 4 pixels are good.
  SRCEXTRACT_HOST_DEVICE StarLight light() const {
    constexpr int width = Lanes::width;
    constexpr std::int64_t least_good = 4;
    const ApertureBox whole = box_.within(image_), own = stamp_.covered(whole, 0);
    const auto both = lanes_.template sum_and_count<1, 1>(
        whole, [&](std::int32_t x, std::int32_t y, int count, BlockSums<1, width>& out, BlockCounts<1, width>& good) {
          double cut[width];
          const double* shape = cut;
          const bool in_rows = y >= own.y_begin && y < own.y_end;
          if (in_rows && x >= own.x_begin && x + count <= own.x_end) {
            shape = stamp_.at(x, y);
          } else {
            for (int i = 0; i < width; ++i)
              cut[i] = in_rows && x + i >= own.x_begin && x + i < own.x_end ? stamp_.at(x, y)[i] : 0;
          }
          const StarPixels<width> pixel = noise_.template at<width>(x, y, count, image_, flux_, shape);
          for (int i = 0; i < width; ++i) {
            const double left = pixel.light[i] - flux_ * shape[i];
            out.of[0][i] = pixel.good[i] * left * left / pixel.variance[i];
            good.of[0][i] = pixel.good[i] > 0 ? 1 : 0;
          }
        });
    if (both.counts[0] < least_good) return failed(x_, y_);
    return {flux_, x_, y_, variance_, both.sums.of[0], static_cast<std::int32_t>(both.counts[0]), 0};
  }

  SRCEXTRACT_HOST_DEVICE static StarLight failed(double x, double y) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {0, x, y, nan, nan, 0, 0};
  }

  SRCEXTRACT_HOST_DEVICE static StarLight unknown(double x, double y) {
    StarLight none = failed(x, y);
    none.flux = std::numeric_limits<double>::quiet_NaN();
    return none;
  }

  const Lanes& lanes_;
  const PsfModel& model_;
  const PhotometryImage& image_;
  PsfNoise noise_;
  PsfStamp<Lanes> stamp_;
  FitBox box_{};
  std::int64_t middle_x_ = 0, middle_y_ = 0;
  double x_ = 0, y_ = 0, flux_ = 0, variance_ = 0;
};

}  // namespace srcextract
