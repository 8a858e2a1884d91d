#include "stages/difference/fit/noise_of_residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t squares_across = 8, square_side = 12;
constexpr double median_of_square = 0.454936;  // of a normal value of variance 1

/// A pixel of the residual: its square, and the variance that is expected from the sky and from photons.
struct ResidualPixel {
  double square, sky, photons;
};

/// Results for one square of pixels. `of_residual` and `of_frame` are squared differences between neighbours.
struct NoiseSquare {
  std::vector<ResidualPixel> pixels;
  std::vector<double> of_residual, of_frame;
};

/// Returns the fourth difference along x of the fourth difference along y at the middle of 5 x 5 values `stride` apart.
/// The light of a star changes too little from pixel to pixel to be in it, unlike the noise.
double roughness(const double* middle, std::int64_t stride) {
  constexpr double weight[] = {1, -4, 6, -4, 1};
  double sum = 0;
  for (std::int64_t j = -2; j <= 2; ++j)
    for (std::int64_t i = -2; i <= 2; ++i) sum += weight[j + 2] * weight[i + 2] * middle[j * stride + i];
  return sum;
}

/// The kernel at one place, and the background that the fit adds there.
class LocalModel {
 public:
  LocalModel(const KernelFit& fit, const LevelledFrame& from, const FieldTerms& at)
      : fit_(fit), from_(from), kernel_(kernel_at(fit, at)) {
    const int sky = fit.basis.size();
    background_ = at.sum(fit.coefficients.of_column(sky), fit.coefficients.terms(sky));
  }

  struct Value {
    double light, sky, photons;  ///< of the convolved frame, and its variance in both parts
  };
  /// Returns NaN if a pixel under the kernel is bad or outside of the frame.
  Value at(std::int64_t x, std::int64_t y) const {
    const ImageView image = from_.view();
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const int half = fit_.basis.half;
    if (!image.contains(x - half - 1, y - half - 1) || !image.contains(x + half + 1, y + half + 1))
      return {none, none, none};
    Value sums{background_, 0, 0};
    std::size_t tap = 0;
    for (int v = -half; v <= half; ++v) {
      for (int u = -half; u <= half; ++u, ++tap) {
        const float pixel = image.at(x - u, y - v);
        if (from_.level.is_bad(pixel)) return {none, none, none};
        const double light = static_cast<double>(from_.level.above(pixel)), k = kernel_[tap];
        sums.light += k * light;
        sums.sky += k * k * static_cast<double>(fit_.from.variance);
        sums.photons += k * k * std::max(light, 0.0) * static_cast<double>(fit_.from.variance_per_count);
      }
    }
    return sums;
  }

 private:
  const KernelFit& fit_;
  const LevelledFrame& from_;
  std::vector<double> kernel_;
  double background_;
};

NoiseSquare measure_square(const KernelFit& fit, const FramePair& frames, std::int64_t left, std::int64_t top) {
  const ImageView to = frames.to.view();
  const FrameLevel& level = frames.to.level;
  const auto [width, height] = to.shape;
  const LocalModel model(fit, frames.from,
                         FieldTerms(static_cast<double>(left), static_cast<double>(top), static_cast<double>(width),
                                    static_cast<double>(height)));
  NoiseSquare result;
  std::vector<double> residual, light;
  for (std::int64_t y = top; y < top + square_side; ++y) {
    for (std::int64_t x = left; x < left + square_side; ++x) {
      const bool good = to.contains(x, y) && !level.is_bad(to.at(x, y));
      const LocalModel::Value convolved = model.at(x, y);
      light.push_back(good ? static_cast<double>(level.above(to.at(x, y))) : std::numeric_limits<double>::quiet_NaN());
      residual.push_back(light.back() - convolved.light);
      if (!std::isfinite(residual.back())) continue;
      const double photons = std::max(convolved.light, 0.0) * static_cast<double>(level.variance_per_count);
      result.pixels.push_back({residual.back() * residual.back(), static_cast<double>(level.variance) + convolved.sky,
                               photons + convolved.photons});
    }
  }
  for (std::int64_t y = 2; y < square_side - 2; ++y) {
    for (std::int64_t x = 2; x < square_side - 2; ++x) {
      const std::int64_t i = y * square_side + x;
      const double of_residual = roughness(residual.data() + i, square_side),
                   of_frame = roughness(light.data() + i, square_side);
      if (!std::isfinite(of_residual)) continue;
      result.of_residual.push_back(of_residual * of_residual);
      result.of_frame.push_back(of_frame * of_frame);
    }
  }
  return result;
}

/// Returns the factor of the sky's variance with which the median of square / variance is that of normal noise.
double factor_of_sky(const std::vector<ResidualPixel>& pixels) {
  constexpr int rounds = 40;
  constexpr double least = 1e-6, most = 1e3;
  double low = least, high = most;
  std::vector<double> ratios(pixels.size());
  for (int round = 0; round < rounds; ++round) {
    const double middle = std::sqrt(low * high);
    for (std::size_t i = 0; i < pixels.size(); ++i)
      ratios[i] = pixels[i].square / (middle * pixels[i].sky + pixels[i].photons);
    (upper_median(ratios) > median_of_square ? low : high) = middle;
  }
  return std::sqrt(low * high);
}

}  // namespace

NoiseOfResidual noise_of_residual(const KernelFit& fit, const FramePair& frames, const Cpu& where) {
  constexpr std::size_t least_pixels = 400;
  constexpr double least_own = 0.5;
  const auto [width, height] = frames.to.image.shape;
  std::vector<NoiseSquare> squares(squares_across * squares_across);
  parallel_for(std::ssize(squares), 1, where,
               [&, width = width, height = height](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto place = [](std::int64_t index, std::int64_t size) {
                     return (2 * index + 1) * size / (2 * squares_across) - square_side / 2;
                   };
                   squares[static_cast<std::size_t>(i)] =
                       measure_square(fit, frames, place(i % squares_across, width), place(i / squares_across, height));
                 }
               });
  NoiseSquare all;
  for (const NoiseSquare& square : squares) {
    all.pixels.insert(all.pixels.end(), square.pixels.begin(), square.pixels.end());
    all.of_residual.insert(all.of_residual.end(), square.of_residual.begin(), square.of_residual.end());
    all.of_frame.insert(all.of_frame.end(), square.of_frame.begin(), square.of_frame.end());
  }
  if (all.pixels.size() < least_pixels || all.of_residual.empty()) return {};
  return {factor_of_sky(all.pixels), upper_median(all.of_residual) >= least_own * upper_median(all.of_frame)};
}

}  // namespace srcextract
