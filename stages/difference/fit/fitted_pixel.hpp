#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/difference/fit/fit_kernel.hpp"

namespace srcextract {

/// Side in pixels of a tile. All pixels of a tile use the kernel for the middle of the tile.
inline constexpr int fitted_tile = 16;

/// A pixel of the difference is masked if more than this fraction of the kernel's summed magnitude lies on bad (masked
/// or saturated) pixels.
inline constexpr double most_bad_share = 0.1;

/// Assumed relative error of the values that replace bad pixels. The actual error is largest in the steep core of a
/// star.
inline constexpr double error_of_bad = 0.5;

/// A pixel of the difference is masked if the polynomial that converts counts between the frames is below this value
/// there. Far from all stars the polynomials may have meaningless values.
inline constexpr double least_kernel_sum = 1e-6;

struct FieldPolynomial {
  double coefficients[most_field_terms];
  int terms;
};

/// The members of a KernelFit that the computation of pixels needs, with pointers to the memory of host or device.
struct FitView {
  /// One mirrored kernel per polynomial term. The kernel at a position is the sum over the terms of (value of the term
  /// at the position) * (kernel of the term).
  const double* kernels;
  int half, terms;
  int square_half;             ///< half width of the central square outside of which the squared kernel is negligible
  FieldPolynomial counts;      ///< factor from counts of the new frame to counts of the frame that is not convolved; 1
                               ///< if that is the new frame
  FieldPolynomial background;  ///< background that the fit adds to the convolved frame
  double width, height;        ///< size of the frames
  double sign;                 ///< -1 if the new frame is convolved, else 1
  double residual_square;      ///< square of FitFacts::residual
  double per_sky_variance;     ///< 1 / FitFacts::sky_variance
  FrameLevel to;
  double excess_of_convolved;  ///< KernelFit::convolved_correlation - 1
  double excess_of_other;      ///< KernelFit::other_correlation - 1; 0 unless that frame is resampled
  double per_correlation;      ///< 1 / StarView::correlation

  SRCEXTRACT_HOST_DEVICE int side() const { return 2 * half + 1; }
  SRCEXTRACT_HOST_DEVICE int taps() const { return side() * side(); }
  SRCEXTRACT_HOST_DEVICE int square_side() const { return 2 * square_half + 1; }

  /// Returns the values of the polynomial terms in the middle of the tile whose first pixel is (x, y).
  SRCEXTRACT_HOST_DEVICE FieldTerms terms_of_tile(std::int64_t x, std::int64_t y) const {
    constexpr double middle = (fitted_tile - 1) / 2.0;
    return {static_cast<double>(x) + middle, static_cast<double>(y) + middle, width, height};
  }
  /// Returns element `tap` of the kernel at a position where the polynomial terms have the values `at`. At pixel (x, y)
  /// of the result, this element multiplies pixel (x + tap % side - half, y + tap / side - half).
  SRCEXTRACT_HOST_DEVICE float kernel_value(const FieldTerms& at, int tap) const {
    double sum = 0;
    for (int k = 0; k < terms; ++k) sum += at.value[k] * kernels[k * taps() + tap];
    return static_cast<float>(sum);
  }
};

/// Values that are the same for all pixels of a row. The polynomials use a coordinate u along the row, from -1 at the
/// first pixel to 1 at the last.
struct FittedRow {
  FieldRow counts, background;
  double step;        ///< difference of u between neighbouring pixels
  double begin, end;  ///< in the columns [begin, end) all pixels under the kernel are in the frame

  SRCEXTRACT_HOST_DEVICE FittedRow(const FitView& fit, std::int64_t y)
      : FittedRow(fit, static_cast<double>(y), fit.height > 1 ? 2 * static_cast<double>(y) / (fit.height - 1) - 1 : 0) {
  }

 private:
  SRCEXTRACT_HOST_DEVICE FittedRow(const FitView& fit, double y, double v)
      : counts(fit.counts.coefficients, fit.counts.terms, v),
        background(fit.background.coefficients, fit.background.terms, v),
        step(fit.width > 1 ? 2 / (fit.width - 1) : 0),
        begin(fit.half),
        end(y >= fit.half && y < fit.height - fit.half ? fit.width - fit.half : 0) {}
};

/// Returns how much light a bad pixel may hide: the magnitude of `light`, the value that fills the pixel. The result is
/// infinite if the variance is -infinity, which marks saturated pixels and pixels around them.
SRCEXTRACT_HOST_DEVICE inline float hidden_light(float light, float variance) {
  return variance == -INFINITY ? INFINITY : fabsf(light);
}

/// Sums over the elements of the kernel at a pixel, in raster order. `light` and `variance` are chains of fmaf, the
/// others chains of additions.
struct KernelSums {
  float light = 0;      ///< kernel times the frame to convolve, minus the sky, with bad pixels filled (filled_at)
  float variance = 0;   ///< squared kernel, within square_half, times the variance of the frame to convolve
  float bad = 0;        ///< magnitude of the kernel, summed over bad pixels
  float bad_light = 0;  ///< magnitude of the kernel times hidden_light(), summed over bad pixels
  float all = 1;        ///< magnitude of the kernel, summed over all pixels; set only if a pixel is bad
};

/// A pixel of the difference. `noise` is its variance divided by the variance of the sky. `noise_of_stars` is the
/// variance for sums over the pixels of a star, divided by StarView::correlation too. There, convolved noise has more
/// effect, since its pixels are correlated. `noise_of_stars` is used only if a frame has a map.
struct FittedPixel {
  float difference, noise, noise_of_stars = 0;
};

/// Returns new frame minus reference at the pixel in column x, in counts of the new frame, and its variance. The
/// variance has three parts: the noise of both frames, the square of the light that the model of a star misses, and the
/// square of the error of filled bad pixels. `other` is the pixel of the frame that is not convolved. `variance` is its
/// variance, negative if the pixel is bad.
SRCEXTRACT_HOST_DEVICE inline FittedPixel subtract_pixel(const FitView& fit, const FittedRow& row,
                                                         const KernelSums& sums, float other, float variance,
                                                         double x) {
  // There are no branches and no &&, so that compilers turn loops over this function into vector code. An infinite
  // variance masks the pixel.
  constexpr double most = std::numeric_limits<float>::max(), infinite = std::numeric_limits<double>::infinity();
  const double u = x * row.step - 1;
  const auto light = static_cast<double>(sums.light), own = static_cast<double>(variance);
  const double hidden = error_of_bad * static_cast<double>(sums.bad_light);
  const double sum = row.counts.sum(u), per_count = 1 / sum;
  const double difference =
      (static_cast<double>(fit.to.above(other)) - light - row.background.sum(u)) * (fit.sign * per_count);
  const double convolved = static_cast<double>(sums.variance), unit = fit.per_sky_variance * (per_count * per_count);
  double square = own + convolved + fit.residual_square * light * light + hidden * hidden;
  const double of_stars =
      (square + fit.excess_of_convolved * convolved + fit.excess_of_other * own) * unit * fit.per_correlation;
  square *= unit;
  square = sum > least_kernel_sum ? square : infinite;
  square = x >= row.begin ? square : infinite;
  square = x < row.end ? square : infinite;
  square = own > 0 ? square : infinite;
  square = static_cast<double>(sums.bad) <= most_bad_share * static_cast<double>(sums.all) ? square : infinite;
  square = fabs(difference) <= most ? square : infinite;
  const bool good = square <= most;
  return {pixel_of(good ? difference : infinite), pixel_of(square), pixel_of(good ? of_stars : infinite)};
}

/// A pixel of the images in StarFrames.
struct FramesPixel {
  float reference, noise_of_new, noise_of_reference;
};

/// Returns the contributions of both frames to a pixel of the difference. `difference` is the result of
/// subtract_pixel(). The variances are increased where the noise of pixels is correlated, by the convolution of a frame
/// or by its resampling.
SRCEXTRACT_HOST_DEVICE inline FramesPixel frames_of_pixel(const FitView& fit, const FittedRow& row,
                                                          const KernelSums& sums, float other, float variance, double x,
                                                          float difference) {
  if (difference != difference) return {masked_pixel, masked_pixel, masked_pixel};
  const double u = x * row.step - 1, per_count = 1 / row.counts.sum(u);
  const double unit = fit.per_sky_variance * (per_count * per_count);
  const float own = pixel_of(static_cast<double>(variance) * unit * (1 + fit.excess_of_other));
  const float convolved = pixel_of(static_cast<double>(sums.variance) * unit * (1 + fit.excess_of_convolved));
  if (fit.sign > 0) return {sums.light, own, convolved};
  const double light = static_cast<double>(fit.to.above(other)) - row.background.sum(u);
  return {pixel_of(light * per_count), convolved, own};
}

/// Pointers to the pixels of the images in StarFrames; null if the caller does not need these images.
struct FrameImages {
  float *reference = nullptr, *noise_of_new = nullptr, *noise_of_reference = nullptr;

  SRCEXTRACT_HOST_DEVICE void keep(std::int64_t i, const FramesPixel& pixel) const {
    reference[i] = pixel.reference;
    noise_of_new[i] = pixel.noise_of_new;
    noise_of_reference[i] = pixel.noise_of_reference;
  }
};

}  // namespace srcextract
