#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/difference/fit/fit_kernel.hpp"

namespace srcextract {

/// Side of a tile in pixels. All pixels of a tile use the kernel at its middle.
inline constexpr int fitted_tile = 16;

/// A pixel is masked if a larger part of the kernel's summed magnitude lies on bad pixels.
inline constexpr double most_bad_share = 0.1;

/// Relative error of the light that replaces bad pixels; it is large in the steep core of a star.
inline constexpr double error_of_bad = 0.5;

/// A pixel is masked where the kernel's sum, which converts counts, is smaller. Polynomials may go astray far from all
/// stars.
inline constexpr double least_kernel_sum = 1e-6;

/// A polynomial over the field, with `terms` coefficients.
struct FieldPolynomial {
  double coefficients[most_field_terms];
  int terms;
};

/// A fit as the code for pixels reads it, in the memory of the back end.
struct FitView {
  const double* kernels;  ///< mirrored, one per polynomial term; the kernel at a place is the sum of term * its kernel
  int half, terms;
  int square_half;             ///< half width beyond which the kernel's squares are negligible
  FieldPolynomial counts;      ///< counts of the frame not convolved per count of the new frame
  FieldPolynomial background;  ///< the level added to the convolved frame
  double width, height;        ///< of the frames
  double sign;                 ///< 1, or -1 if the new frame is convolved
  double residual_square;      ///< square of FitFacts::residual
  double per_sky_variance;     ///< 1 / variance of the sky
  FrameLevel to;
  double excess_of_convolved;  ///< KernelFit::convolved_correlation - 1
  double per_correlation;      ///< 1 / StarView::correlation

  SRCEXTRACT_HOST_DEVICE int side() const { return 2 * half + 1; }
  SRCEXTRACT_HOST_DEVICE int taps() const { return side() * side(); }
  SRCEXTRACT_HOST_DEVICE int square_side() const { return 2 * square_half + 1; }

  /// The polynomial terms in the middle of the tile that begins at (x, y).
  SRCEXTRACT_HOST_DEVICE FieldTerms terms_of_tile(std::int64_t x, std::int64_t y) const {
    constexpr double middle = (fitted_tile - 1) / 2.0;
    return {static_cast<double>(x) + middle, static_cast<double>(y) + middle, width, height};
  }
  /// Element `tap` of the kernel, as float. Centred on (x, y), it multiplies pixel (x + tap % side - half, y + tap /
  /// side - half).
  SRCEXTRACT_HOST_DEVICE float kernel_value(const FieldTerms& at, int tap) const {
    double sum = 0;
    for (int k = 0; k < terms; ++k) sum += at.value[k] * kernels[k * taps() + tap];
    return static_cast<float>(sum);
  }
};

/// Values that all pixels of a row share. The polynomials' coordinate along the row runs from -1 to 1.
struct FittedRow {
  FieldRow counts, background;
  double step;        ///< of this coordinate, from pixel to pixel
  double begin, end;  ///< columns from `begin` to before `end` have all pixels under the kernel in the frame

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

/// The most light that may be hidden in a bad pixel. Pixels around saturated ones have the variance -infinity, and may
/// hide any amount.
SRCEXTRACT_HOST_DEVICE inline float hidden_light(float light, float variance) {
  return variance == -INFINITY ? INFINITY : fabsf(light);
}

/// Sums over the kernel at a pixel, in raster order of the taps. `light` and `variance` are chains of fmaf, the others
/// chains of additions.
struct KernelSums {
  float light = 0;      ///< kernel times convolved frame above the sky, with bad pixels filled
  float variance = 0;   ///< squared kernel, within square_half, times the variance of the convolved frame
  float bad = 0;        ///< magnitude of the kernel on bad pixels
  float bad_light = 0;  ///< magnitude of the kernel times hidden_light(), summed over bad pixels
  float all = 1;        ///< magnitude of the kernel on all pixels; needed only if a pixel is bad
};

/// A pixel of the difference. `noise` is its variance divided by the variance of the sky. `noise_of_stars`, set only if
/// a frame has a map, is the variance for sums over a star, where convolved noise counts more since it is correlated.
struct FittedPixel {
  float difference, noise, noise_of_stars = 0;
};

/// Returns new minus reference in counts of the new frame, whichever frame was convolved, and its variance. Three
/// variances are added: the noise of both frames, the square of the star light that the model misses, and the square of
/// the light that bad pixels may have hidden. `other` and `variance` are the pixel of the frame not convolved, and its
/// variance, which is negative if the pixel is bad.
SRCEXTRACT_HOST_DEVICE inline FittedPixel subtract_pixel(const FitView& fit, const FittedRow& row,
                                                         const KernelSums& sums, float other, float variance,
                                                         double x) {
  // Selects between doubles without branches or && so that compilers turn loops over this function into vectors. An
  // infinite variance masks the pixel.
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

/// A pixel of each frame as StarFrames keeps it, in counts of the difference.
struct FramesPixel {
  float reference, noise_of_new, noise_of_reference;
};

/// Returns what both frames contributed to `difference`, the result of subtract_pixel(). The variance of convolved
/// noise is increased for its correlation.
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

/// Pointers to the images that keep the frames; null: the frames are not kept.
struct FrameImages {
  float *reference = nullptr, *noise_of_new = nullptr, *noise_of_reference = nullptr;

  SRCEXTRACT_HOST_DEVICE void keep(std::int64_t i, const FramesPixel& pixel) const {
    reference[i] = pixel.reference;
    noise_of_new[i] = pixel.noise_of_new;
    noise_of_reference[i] = pixel.noise_of_reference;
  }
};

}  // namespace srcextract
