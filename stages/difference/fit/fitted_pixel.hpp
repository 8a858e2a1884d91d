#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/difference/fit/fit_kernel.hpp"

namespace srcextract {

/// All pixels of a tile have the kernel of the tile's middle. A tile has so many pixels along either axis.
inline constexpr int fitted_tile = 16;

/// The share of a kernel's magnitude that may lie on bad pixels; a pixel with more is masked.
inline constexpr float most_bad_share = 0.1F;

/// The error of what takes the place of bad pixels, relative to its light: large in the steep core of a star.
inline constexpr double error_of_bad = 0.5;

/// Least sum of a kernel that converts counts: where there is no light to fit, polynomials may go anywhere.
inline constexpr double least_kernel_sum = 1e-6;

/// A fit in the memory of the back end.
struct FitView {
  const double* basis;         ///< values of each function
  const double* coefficients;  ///< of the flux, of each further function, of the background
  int functions, half;
  int flux_terms, kernel_terms, background_terms;
  double width, height;  ///< of the frames
  bool convolves_new;
  double residual_square;
  double sky_variance;
  FrameLevel to;
  double correlation;            ///< StarView::correlation
  double convolved_correlation;  ///< KernelFit::convolved_correlation

  SRCEXTRACT_HOST_DEVICE int side() const { return 2 * half + 1; }
  SRCEXTRACT_HOST_DEVICE int taps() const { return side() * side(); }

  /// The weight of a function of the basis.
  SRCEXTRACT_HOST_DEVICE double weight_of(int function, const FieldTerms& at) const {
    if (function == 0) return at.sum(coefficients, flux_terms);
    return at.sum(coefficients + flux_terms + std::int64_t{function - 1} * kernel_terms, kernel_terms);
  }
  SRCEXTRACT_HOST_DEVICE double background(const FieldTerms& at) const {
    return at.sum(coefficients + flux_terms + std::int64_t{functions - 1} * kernel_terms, background_terms);
  }
  /// The terms in the middle of the tile that begins at (x, y).
  SRCEXTRACT_HOST_DEVICE FieldTerms terms_of_tile(std::int64_t x, std::int64_t y) const {
    constexpr double middle = (fitted_tile - 1) / 2.0;
    return {static_cast<double>(x) + middle, static_cast<double>(y) + middle, width, height};
  }
  /// The kernel as it lies over the image, turned round: element `tap` multiplies pixel (x + tap % side - half, y + tap
  /// / side - half). `weights` has the weight of every function.
  SRCEXTRACT_HOST_DEVICE float kernel_value(const double* weights, int tap) const {
    const double* const values = basis + (taps() - 1 - tap);
    double sum = 0;
    for (int f = 0; f < functions; ++f) sum += weights[f] * values[std::int64_t{f} * taps()];
    return static_cast<float>(sum);
  }
};

/// Sums over the kernel at a pixel. Each is a chain of fmaf, or of additions for the shares, over the taps in raster
/// order.
struct KernelSums {
  float light = 0;      ///< kernel times convolved frame, filled, above the sky
  float variance = 0;   ///< square of the kernel times the variance of that frame
  float bad = 0;        ///< magnitude of the kernel on bad pixels
  float bad_light = 0;  ///< magnitude of the kernel times that of the light, on bad pixels
  float all = 1;        ///< magnitude of the kernel
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
SRCEXTRACT_HOST_DEVICE inline FittedPixel subtract_pixel(const FitView& fit, const KernelSums& sums, float other,
                                                         float variance, std::int64_t x, std::int64_t y) {
  constexpr FittedPixel masked{masked_pixel, masked_pixel, masked_pixel};
  const auto column = static_cast<double>(x), row = static_cast<double>(y);
  const double edge = fit.half;  // beyond it the kernel would reach pixels that are not known
  const bool inside = column >= edge && row >= edge && column < fit.width - edge && row < fit.height - edge;
  if (!inside || !(variance > 0) || sums.bad > most_bad_share * sums.all) return masked;
  const FieldTerms at(column, row, fit.width, fit.height);
  const auto light = static_cast<double>(sums.light);
  double difference = static_cast<double>(fit.to.above(other)) - light - fit.background(at);
  const double hidden = error_of_bad * static_cast<double>(sums.bad_light);
  double convolved = static_cast<double>(sums.variance);
  double square = static_cast<double>(variance) + convolved + fit.residual_square * light * light + hidden * hidden;
  if (fit.convolves_new) {
    const double sum = fit.weight_of(0, at);
    if (!(sum > least_kernel_sum)) return masked;
    difference = -difference / sum;
    square /= sum * sum;
    convolved /= sum * sum;
  }
  const float pixel = pixel_of(difference), noise = pixel_of(square / fit.sky_variance);
  if (pixel != pixel || noise != noise) return masked;
  if (fit.convolved_correlation == 0) return {pixel, noise};
  square += (fit.convolved_correlation - 1) * convolved;
  return {pixel, noise, pixel_of(square / (fit.sky_variance * fit.correlation))};
}

}  // namespace srcextract
