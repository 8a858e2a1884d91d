#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/difference/fit/fit_kernel.hpp"

namespace srcextract {

/// All pixels of a tile have the kernel of the tile's middle. A tile has so many pixels along either axis.
inline constexpr int fitted_tile = 16;

/// The share of a kernel's magnitude that may lie on bad pixels; a pixel with more is masked.
inline constexpr double most_bad_share = 0.1;

/// The error of what takes the place of bad pixels, relative to its light: large in the steep core of a star.
inline constexpr double error_of_bad = 0.5;

/// Least sum of a kernel that converts counts: where there is no light to fit, polynomials may go anywhere.
inline constexpr double least_kernel_sum = 1e-6;

/// A polynomial over the field, of at most most_field_terms terms.
struct FieldPolynomial {
  double coefficients[most_field_terms];
  int terms;
};

/// A fit in the memory of the back end.
struct FitView {
  const double* kernels;  ///< of each term over the field, turned round: their sum times the terms is the kernel
  int half, terms;
  int square_half;             ///< beyond it the squares of the kernel are next to nothing
  FieldPolynomial counts;      ///< of the frame that is not convolved, per count of the new frame
  FieldPolynomial background;  ///< the level that is added
  double width, height;        ///< of the frames
  double sign;                 ///< 1, or -1 if the new frame is convolved
  double residual_square;
  double per_sky_variance;  ///< 1 / variance of the sky
  FrameLevel to;
  double excess_of_convolved;  ///< KernelFit::convolved_correlation - 1
  double per_correlation;      ///< 1 / StarView::correlation

  SRCEXTRACT_HOST_DEVICE int side() const { return 2 * half + 1; }
  SRCEXTRACT_HOST_DEVICE int taps() const { return side() * side(); }
  SRCEXTRACT_HOST_DEVICE int square_side() const { return 2 * square_half + 1; }

  /// The terms in the middle of the tile that begins at (x, y).
  SRCEXTRACT_HOST_DEVICE FieldTerms terms_of_tile(std::int64_t x, std::int64_t y) const {
    constexpr double middle = (fitted_tile - 1) / 2.0;
    return {static_cast<double>(x) + middle, static_cast<double>(y) + middle, width, height};
  }
  /// The kernel as it lies over the image: element `tap` multiplies pixel (x + tap % side - half, y + tap / side -
  /// half).
  SRCEXTRACT_HOST_DEVICE float kernel_value(const FieldTerms& at, int tap) const {
    double sum = 0;
    for (int k = 0; k < terms; ++k) sum += at.value[k] * kernels[k * taps() + tap];
    return static_cast<float>(sum);
  }
};

/// Values that all pixels of a row share. Places along the row run from -1 to 1.
struct FittedRow {
  FieldRow counts, background;
  double step;        ///< of the place, from pixel to pixel
  double begin, end;  ///< columns from which on, and up to which, the kernel reaches known pixels alone

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

/// The light that a bad pixel may hide. Pixels around saturated ones have an infinite variance, and may hide any light.
SRCEXTRACT_HOST_DEVICE inline float hidden_light(float light, float variance) {
  return variance == -INFINITY ? INFINITY : fabsf(light);
}

/// Sums over the kernel at a pixel. Each is a chain of fmaf, or of additions for the shares, over the taps in raster
/// order.
struct KernelSums {
  float light = 0;      ///< kernel times convolved frame, filled, above the sky
  float variance = 0;   ///< square of the kernel, within square_half, times the variance of that frame
  float bad = 0;        ///< magnitude of the kernel on bad pixels
  float bad_light = 0;  ///< magnitude of the kernel times hidden_light(), on bad pixels
  float all = 1;        ///< magnitude of the kernel; needed only where a pixel is bad
};

/// A pixel of the difference; `noise` is its variance divided by the variance of the sky. `noise_of_stars`, only where
/// a frame has a map, is the same of a sum over a star: the noise that was convolved counts as much as it is
/// correlated.
struct FittedPixel {
  float difference, noise, noise_of_stars = 0;
};

/// New minus reference in counts of the new frame, whichever was convolved. Three variances are added: the noise of
/// both frames, the square of the star light that the model misses, and the square of the light that bad pixels may
/// have hidden. `other` and `variance` are the pixel of the other frame and its variance, negative if the pixel is bad.
SRCEXTRACT_HOST_DEVICE inline FittedPixel subtract_pixel(const FitView& fit, const FittedRow& row,
                                                         const KernelSums& sums, float other, float variance,
                                                         double x) {
  // Compilers turn loops over this into vectors: it chooses between doubles alone, and joins no conditions. Where the
  // variance is infinite, the pixel is masked.
  constexpr double most = std::numeric_limits<float>::max(), infinite = std::numeric_limits<double>::infinity();
  const double u = x * row.step - 1;
  const auto light = static_cast<double>(sums.light), own = static_cast<double>(variance);
  const double hidden = error_of_bad * static_cast<double>(sums.bad_light);
  const double sum = row.counts.sum(u), per_count = 1 / sum;
  const double difference =
      (static_cast<double>(fit.to.above(other)) - light - row.background.sum(u)) * (fit.sign * per_count);
  const double convolved = static_cast<double>(sums.variance), unit = fit.per_sky_variance * (per_count * per_count);
  double square = own + convolved + fit.residual_square * light * light + hidden * hidden;
  const double of_stars = (square + fit.excess_of_convolved * convolved) * unit * fit.per_correlation;
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

/// A pixel of the frames of a difference, in its counts: StarFrames.
struct FramesPixel {
  float reference, noise_of_new, noise_of_reference;
};

/// The frames of which subtract_pixel() made `difference`. Noise that the kernel convolved counts as much as it is
/// correlated.
SRCEXTRACT_HOST_DEVICE inline FramesPixel frames_of_pixel(const FitView& fit, const FittedRow& row,
                                                          const KernelSums& sums, float other, float variance, double x,
                                                          float difference) {
  if (difference != difference) return {masked_pixel, masked_pixel, masked_pixel};
  const double u = x * row.step - 1, per_count = 1 / row.counts.sum(u);
  const double unit = fit.per_sky_variance * (per_count * per_count);
  const float own = pixel_of(static_cast<double>(variance) * unit);
  const float convolved = pixel_of(static_cast<double>(sums.variance) * unit * (1 + fit.excess_of_convolved));
  if (fit.sign > 0) return {sums.light, own, convolved};
  const double light = static_cast<double>(fit.to.above(other)) - row.background.sum(u);
  return {pixel_of(light * per_count), convolved, own};
}

/// Images that take the frames; null: they are not asked for.
struct FrameImages {
  float *reference = nullptr, *noise_of_new = nullptr, *noise_of_reference = nullptr;

  SRCEXTRACT_HOST_DEVICE void keep(std::int64_t i, const FramesPixel& pixel) const {
    reference[i] = pixel.reference;
    noise_of_new[i] = pixel.noise_of_new;
    noise_of_reference[i] = pixel.noise_of_reference;
  }
};

}  // namespace srcextract
