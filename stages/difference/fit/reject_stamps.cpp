#include "stages/difference/fit/reject_stamps.hpp"

#include <algorithm>
#include <numeric>

#include "stages/core/parallel.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

constexpr int most_rounds = 10;
constexpr double clip_scatters = 3;
/// Lower limit of the scatter of chi, as a fraction of the median chi. If the limit were lower, bright stamps (squares
/// of pixels around stars) would be rejected, since their residuals exceed their photon noise. Bright stamps determine
/// the core of the kernel, and without them subtracted stars would leave residuals.
constexpr double least_scatter = 2.0 / 3;
/// Least number of stamps for polynomials of order 2 or more, and for order 1.
constexpr std::size_t stamps_for_order_2 = 20, stamps_for_order_1 = 8;

FieldOrders orders_for(std::size_t stamps, const DifferenceConfig& config) {
  const std::int64_t most = stamps < stamps_for_order_1 ? 0 : (stamps < stamps_for_order_2 ? 1 : most_field_order);
  const auto limited = [most](std::int64_t order) { return static_cast<int>(std::min(order, most)); };
  return {limited(config.kernel_order), limited(config.flux_order), limited(config.background_order)};
}

/// Returns the indices of all stamps whose chi exceeds the median chi of the used stamps by less than 3 times the
/// scatter. Sets chi_median.
std::vector<std::size_t> agreeing(RobustSolution& solution) {
  std::vector<double> chis;
  for (const std::size_t s : solution.used) chis.push_back(solution.fits[s].chi);
  const double middle = solution.chi_median = upper_median(chis);
  const double scatter = std::max(sigma_per_deviation * median_deviation(chis, middle), least_scatter * middle);
  std::vector<std::size_t> result;
  for (std::size_t s = 0; s < solution.fits.size(); ++s)
    if (solution.fits[s].chi < middle + clip_scatters * scatter) result.push_back(s);
  return result;
}

}  // namespace

RobustSolution solve_robustly(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms,
                              const DifferenceConfig& config, const Cpu& where) {
  RobustSolution solution;
  for (std::size_t s = 0; s < sums.size(); ++s)
    if (sums[s].pixels > 0) solution.used.push_back(s);
  while (solution.used.size() >= least_stamps) {
    const FieldOrders orders = orders_for(solution.used.size(), config);
    solution.coefficients = solve_over_field(sums, terms, solution.used, orders, where);
    ++solution.iterations;
    if (solution.coefficients.condition == 0) {
      solution.used.clear();
      break;
    }
    solution.fits.resize(sums.size());
    parallel_for(std::ssize(sums), 8, where, [&](std::int64_t begin, std::int64_t end) {
      for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s)
        solution.fits[s] = fit_of_stamp(sums[s], terms[s], solution.coefficients);
    });
    std::vector<std::size_t> next = agreeing(solution);
    if (next == solution.used || solution.iterations == most_rounds) break;
    solution.used = std::move(next);
  }
  return solution;
}

}  // namespace srcextract
