#include "stages/difference/fit/residual.hpp"

#include <algorithm>
#include <cmath>

#include "stages/core/parallel.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

/// Returns the squared values of the kernel at a position, where the polynomials' terms have the values `at`.
std::vector<double> squared_kernel(const KernelFit& fit, const FieldTerms& at, const FieldCoefficients& coefficients) {
  const int taps = fit.basis.taps();
  std::vector<double> kernel(static_cast<std::size_t>(taps), 0);
  for (int f = 0; f < fit.basis.size(); ++f) {
    const double weight = at.sum(coefficients.of_column(f), coefficients.terms(f));
    for (int tap = 0; tap < taps; ++tap)
      kernel[static_cast<std::size_t>(tap)] +=
          weight * fit.basis.values[static_cast<std::size_t>(std::int64_t{f} * taps + tap)];
  }
  for (double& value : kernel) value *= value;
  return kernel;
}

/// Returns the magnitude of variance_at() for the pixels within `reach` of the middle of a stamp (a square around a
/// star) along both axes, row by row. The magnitude is 0 beyond the frame's edges.
std::vector<double> variances_around(const ImageView& frame, const FrameLevel& level, const Stamp& stamp, int reach) {
  std::vector<double> variances;
  for (std::int64_t y = stamp.y - reach; y <= stamp.y + reach; ++y)
    for (std::int64_t x = stamp.x - reach; x <= stamp.x + reach; ++x)
      variances.push_back(frame.contains(x, y) ? std::fabs(static_cast<double>(variance_at(frame, level, x, y))) : 0);
  return variances;
}

/// Returns the chi that noise alone would cause in a stamp. The result differs from 1, since the fit's weights use the
/// noise of the frame before convolution. Uses every third pixel along both axes.
double expected_chi(const KernelFit& fit, const FramePair& frames, const Stamp& stamp, int half,
                    const std::vector<double>& squares) {
  constexpr int step = 3;
  const ImageView from = frames.from.view(), to = frames.to.view();
  const int reach = fit.basis.half, side = fit.basis.width(), wide = 2 * (half + reach) + 1;
  const std::vector<double> variances = variances_around(from, fit.from, stamp, half + reach);
  double sum = 0, count = 0;
  for (int j = -half; j <= half; j += step) {
    for (int i = -half; i <= half; i += step) {
      const std::int64_t x = stamp.x + i, y = stamp.y + j;
      if (!from.contains(x - reach, y - reach) || !from.contains(x + reach, y + reach)) continue;
      const auto before = static_cast<double>(variance_at(from, frames.from.level, x, y));
      const auto own = static_cast<double>(variance_at(to, fit.to, x, y));
      if (!(before > 0 && own > 0)) continue;
      // In a convolution the first value of the kernel multiplies the last pixel under the kernel.
      const double* const last =
          variances.data() + std::int64_t{j + half + 2 * reach} * wide + i + half + std::ptrdiff_t{2} * reach;
      double after = 0;
      for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u)
          after += squares[static_cast<std::size_t>(std::int64_t{v} * side + u)] * last[-(std::int64_t{v} * wide + u)];
      sum += (own + after) / (own + before);
      count += 1;
    }
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

StarResidual residual_of(const KernelFit& fit, const FramePair& frames, const std::vector<Stamp>& stamps,
                         int stamp_half, const std::vector<FieldTerms>& terms, const std::vector<StampSums>& sums,
                         const RobustSolution& solution, const Cpu& where) {
  constexpr std::size_t share = 4, most = 40;
  std::vector<std::size_t> bright = solution.used;
  std::ranges::sort(bright, [&](std::size_t a, std::size_t b) {
    const double of_a = solution.fits[a].light, of_b = solution.fits[b].light;
    return of_a != of_b ? of_a > of_b : a < b;
  });
  bright.resize(std::min(most, bright.size() / share + 1));
  std::vector<double> all(bright.size()), excess, variances;
  parallel_for(std::ssize(bright), 1, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      all[i] = expected_chi(fit, frames, stamps[bright[i]], stamp_half,
                            squared_kernel(fit, terms[bright[i]], solution.coefficients));
  });
  for (std::size_t i = 0; i < bright.size(); ++i) {
    const std::size_t s = bright[i];
    const double expected = all[i];
    excess.push_back((solution.fits[s].chi - expected) * sums[s].pixels / solution.fits[s].light);
    if (expected > 0) variances.push_back(solution.fits[s].chi / expected);
  }
  return {std::sqrt(std::max(0.0, upper_median(excess))), variances.empty() ? 1 : upper_median(variances)};
}

}  // namespace srcextract
