#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/crowd/noise_cells.hpp"
#include "stages/crowd/sky_nodes.hpp"

namespace srcextract {

/// The pixels of a crowded field in host or device memory, and computations on single pixels that host and device
/// share. crowd_field.hpp describes the members.
struct CrowdPixels {
  const float* pixels = nullptr;
  const float* variance = nullptr;  ///< null: the same for all pixels
  std::int64_t width = 0, height = 0;
  double background = 0, saturation = 0, photons = 0;  ///< photons: variance that a light of 1 adds by photon noise
  double unit = 1;
  NoiseCells cells;
  const float* scale = nullptr;  ///< per quarter of a cell: variance of a sky pixel over `unit`
  float least_bad_variance = 0;
  std::uint8_t* good = nullptr;  ///< per pixel: 1 if the fit uses the pixel
  float *model = nullptr, *weight = nullptr, *residual = nullptr;
  SkyGrid sky;
  const double* level = nullptr;  ///< levels of the sky nodes
  bool shares_noise = false;      ///< whether pixels were found to share their noise (stages/crowd/shared_noise.hpp)

  SRCEXTRACT_HOST_DEVICE std::int64_t count() const { return width * height; }
  SRCEXTRACT_HOST_DEVICE bool has(std::int64_t x, std::int64_t y) const {
    return x >= 0 && y >= 0 && x < width && y < height;
  }
  SRCEXTRACT_HOST_DEVICE bool is_good(std::int64_t i) const { return good[i] != 0; }
  SRCEXTRACT_HOST_DEVICE bool is_saturated(std::int64_t i) const { return pixels[i] - background >= saturation; }
  /// Whether the fit uses the pixel. A used pixel is neither masked nor saturated, and its variance is positive and
  /// below least_bad_variance.
  SRCEXTRACT_HOST_DEVICE bool counts(std::int64_t i) const {
    const double above = pixels[i] - background;
    const bool known = above < saturation && above > -std::numeric_limits<double>::infinity();
    return known && (variance == nullptr || (variance[i] > 0 && variance[i] < least_bad_variance));
  }

  /// Sets model and residual of a pixel, and its weight if `weigh` is true. `of_stars` is the light of all stars in the
  /// pixel.
  SRCEXTRACT_HOST_DEVICE void take_light(std::int64_t x, std::int64_t y, const SkyGrid::Place& along_x,
                                         const SkyGrid::Place& along_y, double of_stars, bool weigh) const {
    constexpr double least_part = 0.2;
    const std::int64_t i = y * width + x;
    model[i] = static_cast<float>(of_stars);
    if (!is_good(i)) {
      weight[i] = residual[i] = 0;
      return;
    }
    if (weigh) {
      const double base = unit * static_cast<double>(variance != nullptr ? variance[i] : scale[cells.quarter(x, y)]);
      const double whole = base + photons * of_stars, least = least_part * base;
      weight[i] = static_cast<float>(1 / (whole < least ? least : whole));
    }
    residual[i] = static_cast<float>(pixels[i] - background - sky.between(level, along_x, along_y) - of_stars);
  }

  /// Lowers the weight of a pixel whose residual exceeds 3 sigma. CrowdField::soften() does so for all pixels.
  SRCEXTRACT_HOST_DEVICE void soften(std::int64_t i) const {
    constexpr float most = 3;
    const float sigmas = std::abs(residual[i]) * std::sqrt(weight[i]);
    if (sigmas > most) weight[i] *= most / sigmas;
  }

  /// The square of the residual's noise at a pixel, divided by its variance; -1 if it is not known. In pixels that
  /// share their noise, of the residual itself, in those below 0: neighbours differ less than their noise.
  SRCEXTRACT_HOST_DEVICE float noise_ratio(std::int64_t i) const {
    if (!shares_noise) return difference_ratio(i, 1);
    return is_good(i) && residual[i] < 0 ? residual[i] * residual[i] * weight[i] : -1;
  }

  /// The square of the residual's second difference along both axes, over `step` pixels, divided by the variance that
  /// this difference has if pixels are independent. Returns -1 if one of the nine pixels is outside the image or not
  /// used.
  SRCEXTRACT_HOST_DEVICE float difference_ratio(std::int64_t i, std::int64_t step) const {
    const std::int64_t x = i % width, y = i / width;
    if (x < step || y < step || x + step >= width || y + step >= height) return -1;
    double sum = 0, square = 0;
    for (std::int64_t dy = -1; dy <= 1; ++dy) {
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const std::int64_t at = i + step * (dy * width + dx);
        if (!is_good(at)) return -1;
        const double factor = (dx == 0 ? -2 : 1) * (dy == 0 ? -2 : 1);
        sum += factor * static_cast<double>(residual[at]);
        square += factor * factor / static_cast<double>(weight[at]);
      }
    }
    return static_cast<float>(sum * sum / square);
  }

  /// The variance that pixels `step` away tell of a sky pixel, over `unit`; -1 if it is not known.
  SRCEXTRACT_HOST_DEVICE float sky_noise(std::int64_t i, std::int64_t step) const {
    const float ratio = difference_ratio(i, step);
    return ratio >= 0 ? ratio * scale[cells.quarter(i % width, i / width)] : -1.0F;
  }

  /// The pixel of a sample of a cell, if the fit uses it; else -1.
  SRCEXTRACT_HOST_DEVICE std::int64_t sample(std::int64_t cell, int number) const {
    const std::int64_t x = cells.x(cell, number), y = cells.y(cell, number);
    return has(x, y) && is_good(y * width + x) ? y * width + x : -1;
  }
};

/// The noise is measured at every noise_step()-th pixel in memory order. The step is odd, so that the pixels do not lie
/// in a few columns.
inline std::int64_t noise_step(const Shape& shape) {
  constexpr std::int64_t most_samples = 1 << 18;
  const std::int64_t step = shape.count() / most_samples;
  return (step > 1 ? step : 1) | 1;
}

/// The factor that corrects the variance of a sky pixel, given the median of CrowdPixels::noise_ratio().
inline double variance_factor(float median) {
  // half of all normally distributed values have a smaller absolute value
  constexpr double of_median = 0.67448975019608171;
  const double ratio = static_cast<double>(median) / (of_median * of_median);
  return ratio > 0 ? ratio : 1;
}

}  // namespace srcextract
