#include "stages/difference/fit/shared_stars.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

namespace srcextract {
namespace {

constexpr std::size_t most_stars = 200;

/// Returns the fraction of the 200 brightest `stars` that have a star of `others` nearby. The fraction expected by
/// chance, if `others` are randomly spread over `pixels` pixels, is subtracted.
double share_among(const std::vector<Peak>& stars, const std::vector<Peak>& others, std::int64_t pixels) {
  if (stars.empty()) return 0;
  const std::span<const Peak> brightest(stars.data(), std::min(stars.size(), most_stars));
  const auto is_shared = [&](const Peak& star) {
    return std::ranges::any_of(others, [&](const Peak& other) {
      return std::max(std::abs(other.x - star.x), std::abs(other.y - star.y)) <= shared_within;
    });
  };
  const auto shared = static_cast<double>(std::ranges::count_if(brightest, is_shared));
  constexpr auto area = static_cast<double>((2 * shared_within + 1) * (2 * shared_within + 1));
  const double by_chance = std::min(0.9, area * static_cast<double>(others.size()) / static_cast<double>(pixels));
  return std::max(0.0, (shared / static_cast<double>(brightest.size()) - by_chance) / (1 - by_chance));
}

}  // namespace

double share_of_shared_stars(const std::vector<Peak>& reference, const std::vector<Peak>& fresh, std::int64_t pixels) {
  return std::max(share_among(reference, fresh, pixels), share_among(fresh, reference, pixels));
}

}  // namespace srcextract
