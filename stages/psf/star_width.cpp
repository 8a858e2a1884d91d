#include "stages/psf/star_width.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/fit/normal_equations.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// A pixel of a source. Its offset is from the first position, in pixels.
struct WidthPixel {
  double dx, dy, light;
};
using WidthPixels = std::vector<WidthPixel>;

/// peak exp(-(xx dx^2 + 2 xy dx dy + yy dy^2) / 2), where (dx, dy) is the offset from (x, y)
struct WidthModel {
  static constexpr int numbers = 6;
  double of[numbers];  ///< peak, x, y, xx, xy, yy

  bool is_ellipse() const { return of[3] > 0 && of[5] > 0 && of[3] * of[5] > of[4] * of[4]; }

  /// Returns the sum of squares of the pixels minus the Gaussian. If `matrix` is given, also sets the normal equations.
  double misfit(const WidthPixels& pixels, SymmetricMatrix* matrix = nullptr, double* right = nullptr) const {
    double sum = 0;
    for (const WidthPixel& pixel : pixels) {
      const double dx = pixel.dx - of[1], dy = pixel.dy - of[2];
      const double shape = portable_exp(-(of[3] * dx * dx + 2 * of[4] * dx * dy + of[5] * dy * dy) / 2);
      const double value = of[0] * shape, left = pixel.light - value;
      sum += left * left;
      if (matrix == nullptr) continue;
      const double slope[numbers] = {shape,
                                     value * (of[3] * dx + of[4] * dy),
                                     value * (of[4] * dx + of[5] * dy),
                                     -value * dx * dx / 2,
                                     -value * dx * dy,
                                     -value * dy * dy / 2};
      for (std::size_t i = 0; i < numbers; ++i) {
        right[i] += slope[i] * left;
        for (std::size_t j = 0; j <= i; ++j) matrix->at(i, j) += slope[i] * slope[j];
      }
    }
    return sum;
  }
};

WidthPixels pixels_about(const Image<float, Cpu>& above, double x, double y, double reach) {
  WidthPixels pixels;
  const auto first = [&](double place) { return std::max<std::int64_t>(0, std::llround(std::ceil(place - reach))); };
  for (std::int64_t row = first(y); row < above.shape.height && static_cast<double>(row) <= y + reach; ++row) {
    for (std::int64_t column = first(x); column < above.shape.width && static_cast<double>(column) <= x + reach;
         ++column) {
      const double dx = static_cast<double>(column) - x, dy = static_cast<double>(row) - y;
      const float light = above.pixels[row * above.shape.width + column];
      if (dx * dx + dy * dy <= reach * reach && std::isfinite(light)) pixels.push_back({dx, dy, light});
    }
  }
  return pixels;
}

StarWidth width_of(const WidthModel& fitted) {
  constexpr double square_of_width = 5.545177444479562;  // squared full width of a Gaussian with sigma 1
  constexpr double of_pixel = 1.0 / 12;                  // variance of a pixel's width
  const double xx = fitted.of[3], xy = fitted.of[4], yy = fitted.of[5], area = xx * yy - xy * xy;
  const double mean = (xx + yy) / 2, apart = std::sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
  const auto full_width = [&](double variance) {
    return std::sqrt(square_of_width * std::max(variance - of_pixel, 0.0));
  };
  const double major = full_width((mean + apart) / area), minor = full_width((mean - apart) / area);
  return {std::sqrt(major * minor), minor};
}

}  // namespace

StarWidth measure_width(const Image<float, Cpu>& above, double x, double y, double radius) {
  // reach: radius of the fitted pixels; the Gaussian begins with the half-light radius
  constexpr double reach_of_radius = 2, least_radius = 0.6, half_light = 1.1774;
  constexpr int rounds = 30;
  constexpr double least_damping = 1e-6, most_damping = 1e6, enough = 1e-7;
  if (!(radius < std::numeric_limits<double>::infinity())) return {};
  const double begin = std::max(radius, least_radius), sigma = begin / half_light;
  const WidthPixels pixels = pixels_about(above, x, y, reach_of_radius * begin + 1);
  if (pixels.size() <= WidthModel::numbers) return {};
  double peak = 0;
  for (const WidthPixel& pixel : pixels) peak = std::max(peak, pixel.light);
  WidthModel now{{peak, 0, 0, 1 / (sigma * sigma), 0, 1 / (sigma * sigma)}};
  double misfit = now.misfit(pixels), damping = 1e-2;
  for (int round = 0; round < rounds && damping < most_damping; ++round) {
    SymmetricMatrix matrix(WidthModel::numbers);
    double right[WidthModel::numbers] = {};
    now.misfit(pixels, &matrix, right);
    for (std::size_t i = 0; i < WidthModel::numbers; ++i) matrix.at(i, i) *= 1 + damping;
    if (!factorise(matrix)) return {};
    solve(matrix, right);
    WidthModel next = now;
    for (int i = 0; i < WidthModel::numbers; ++i) next.of[i] += right[i];
    const double then = next.is_ellipse() ? next.misfit(pixels) : std::numeric_limits<double>::infinity();
    if (then < misfit) {
      const bool ends = misfit - then < enough * misfit;
      now = next;
      misfit = then;
      damping = std::max(damping / 10, least_damping);
      if (ends) break;
    } else {
      damping *= 10;
    }
  }
  return now.of[0] > 0 ? width_of(now) : StarWidth{};
}

}  // namespace srcextract
