#include "stages/difference/fit/remove_noise.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// The fraction of the expected noise that is subtracted. Tests on nine pairs of frames set the value: larger fractions
/// let noise determine the narrowest functions. With 0.75, one pair gave a false source; with 0.9, another pair had
/// residuals of ten times the noise.
constexpr double removed_part = 0.5;
/// The new solution is rejected if a pivot is below this fraction of the least value that is possible for white noise.
/// The frame then has less noise than expected.
constexpr double least_left = 0.5;
/// The new solution is rejected if the sum of chi^2 over the stamps (squares of pixels around stars) grows by more than
/// this factor. Some growth is normal, since the first solution has the least sum and also fits the noise.
constexpr double most_growth = 1.1;

/// Returns the sum, over all elements of the kernel, of the product of each pair of basis functions, in the layout of
/// StampSums::products. Products with the columns of the sky and the data are 0.
std::vector<double> products_of_noise(const KernelBasis& basis, int columns, const Cpu& where) {
  const int size = basis.size(), taps = basis.taps();
  std::vector<double> products(static_cast<std::size_t>(std::int64_t{columns} * (columns + 1) / 2), 0);
  parallel_for(size, 4, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<int>(begin); i < end; ++i) {
      double* const row = products.data() + std::int64_t{i} * (2 * columns - i - 1) / 2;
      const double* const own = basis.values.data() + std::int64_t{i} * taps;
      for (int j = i; j < size; ++j) {
        const double* const other = basis.values.data() + std::int64_t{j} * taps;
        for (int tap = 0; tap < taps; ++tap) row[j] += own[tap] * other[tap];
      }
    }
  });
  return products;
}

/// Returns the sum of (other frame - model)^2 / variance over all pixels of the used stamps.
double sum_of_chi(const std::vector<StampSums>& sums, const RobustSolution& solution) {
  double sum = 0;
  for (const std::size_t s : solution.used) sum += solution.fits[s].chi * sums[s].pixels;
  return sum;
}

bool has_enough_left(const FieldCoefficients& before, const FieldCoefficients& after) {
  if (after.condition == 0) return false;
  for (std::size_t i = 0; i < before.pivots.size(); ++i)
    if (after.pivots[i] < least_left * (1 - removed_part) * before.pivots[i]) return false;
  return true;
}

}  // namespace

void remove_noise(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms, const KernelBasis& basis,
                  double share, RobustSolution& solution, const Cpu& where) {
  const std::vector<double> noise = products_of_noise(basis, sums.front().columns, where);
  std::vector<StampSums> without = sums;
  parallel_for(std::ssize(solution.used), 16, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      StampSums& stamp = without[solution.used[static_cast<std::size_t>(k)]];
      const double variance = removed_part * share * stamp.pixels;
      for (std::size_t i = 0; i < noise.size(); ++i) stamp.products[i] -= variance * noise[i];
    }
  });
  RobustSolution better = solution;
  better.coefficients = solve_over_field(without, terms, solution.used, solution.coefficients.orders, where);
  if (!has_enough_left(solution.coefficients, better.coefficients)) return;
  for (std::size_t s = 0; s < sums.size(); ++s) better.fits[s] = fit_of_stamp(sums[s], terms[s], better.coefficients);
  if (sum_of_chi(sums, better) <= most_growth * sum_of_chi(sums, solution)) solution = std::move(better);
}

}  // namespace srcextract
