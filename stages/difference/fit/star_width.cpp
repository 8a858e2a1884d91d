#include "stages/difference/fit/star_width.hpp"

#include <algorithm>
#include <cmath>

#include "stages/core/parallel.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t moments_half = 12;
constexpr int rounds = 12;
/// From this number of stamps (squares of pixels around stars) on, only some are measured. Medians over more stamps
/// would take time and not improve the fit.
constexpr std::size_t enough_stamps = 100;
/// The sums extend at least reach_sigmas sigmas from the star along each axis, but at most moments_half pixels from the
/// stamp's middle. The iteration ends if position and sigma change by less than least_step pixels, a change smaller
/// than the noise.
constexpr double reach_sigmas = 4, least_step = 1e-3;
constexpr double first_sigma = 2, least_sigma = 0.5, most_sigma = 7;

struct Moments {
  double light = 0, x = 0, y = 0, square = 0;
};

/// Sums the light times a round Gaussian weight centred at (x, y), relative to the stamp's middle, and the first and
/// second moments of this product about (x, y). Moments::square is the mean of the sums for dx^2 and dy^2.
Moments moments_at(const ImageView& frame, const FrameLevel& level, const Stamp& stamp, double x, double y,
                   double sigma) {
  Moments sums;
  const std::int64_t half = std::min(
      moments_half, static_cast<std::int64_t>(std::ceil(reach_sigmas * sigma + std::max(std::fabs(x), std::fabs(y)))));
  double along[2 * moments_half + 1];
  for (std::int64_t i = -half; i <= half; ++i) {
    const double t = (static_cast<double>(i) - x) / sigma;
    along[i + moments_half] = portable_exp(-t * t / 2);
  }
  for (std::int64_t j = -half; j <= half; ++j) {
    const double dy = static_cast<double>(j) - y;
    const double across = portable_exp(-dy * dy / (2 * sigma * sigma));
    for (std::int64_t i = -half; i <= half; ++i) {
      if (!frame.contains(stamp.x + i, stamp.y + j)) continue;
      const double dx = static_cast<double>(i) - x;
      const double light =
          across * along[i + moments_half] * static_cast<double>(level.above(frame.at(stamp.x + i, stamp.y + j)));
      sums.light += light;
      sums.x += light * dx;
      sums.y += light * dy;
      sums.square += light * (dx * dx + dy * dy) / 2;
    }
  }
  return sums;
}

StarShape shape_of(const LevelledFrame& frame, const Stamp& stamp) {
  double x = 0, y = 0, sigma = first_sigma, light = 0;
  for (int round = 0; round < rounds; ++round) {
    const Moments sums = moments_at(frame.view(), frame.level, stamp, x, y, sigma);
    if (!(sums.light > 0) || !(sums.square > 0)) return {0, 0, 0, 0};
    light = sums.light;
    const double before[] = {x, y, sigma};
    x = std::clamp(x + sums.x / sums.light, -2.0, 2.0);
    y = std::clamp(y + sums.y / sums.light, -2.0, 2.0);
    sigma = std::clamp(std::sqrt(2 * sums.square / sums.light), least_sigma, most_sigma);
    if (std::max({std::fabs(x - before[0]), std::fabs(y - before[1]), std::fabs(sigma - before[2])}) < least_step)
      break;
  }
  return {x, y, sigma, light};
}

}  // namespace

std::vector<StarShape> shapes_of(const LevelledFrame& frame, const std::vector<Stamp>& stamps, const Cpu& where) {
  std::vector<StarShape> shapes(stamps.size());
  parallel_for(std::ssize(stamps), 1, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s)
      shapes[s] = shape_of(frame, stamps[s]);
  });
  return shapes;
}

StarWidths measure_widths(const LevelledFrame& reference, const LevelledFrame& fresh, const std::vector<Stamp>& stamps,
                          const Cpu& where) {
  std::vector<double> of_reference, of_fresh, ratios, along_x, along_y;
  const std::size_t step = stamps.size() / enough_stamps + 1;
  std::vector<Stamp> some;
  for (std::size_t s = 0; s < stamps.size(); s += step) some.push_back(stamps[s]);
  const std::vector<StarShape> in_reference = shapes_of(reference, some, where), in_new = shapes_of(fresh, some, where);
  for (std::size_t s = 0; s < some.size(); ++s) {
    const StarShape &r = in_reference[s], &n = in_new[s];
    if (!(r.sigma > 0 && n.sigma > 0)) continue;
    of_reference.push_back(r.sigma * fwhm_per_sigma);
    of_fresh.push_back(n.sigma * fwhm_per_sigma);
    ratios.push_back(n.sigma / r.sigma);
    along_x.push_back(n.x - r.x);
    along_y.push_back(n.y - r.y);
  }
  if (ratios.empty()) return {};
  return {upper_median(of_reference), upper_median(of_fresh), upper_median(ratios), upper_median(along_x),
          upper_median(along_y)};
}

}  // namespace srcextract
