#include "stages/difference/fit/shared_stars.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include "stages/difference/fit/find_peaks.hpp"

namespace srcextract {
namespace {

constexpr double least_sigmas = 10;
constexpr std::size_t most_stars = 200;

std::vector<Peak> stars_of(const LevelledFrame& frame, const Cpu& where) {
  const double sigma = std::sqrt(static_cast<double>(frame.level.variance));
  return find_peaks(frame, static_cast<float>(least_sigmas * sigma), where);
}

/// The share of the brightest stars that are among `others`, which are spread over so many pixels.
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

double share_of_shared_stars(const LevelledFrame& reference, const LevelledFrame& fresh, const Cpu& where) {
  const std::vector<Peak> before = stars_of(reference, where), after = stars_of(fresh, where);
  const std::int64_t pixels = fresh.image.shape.count();
  return std::max(share_among(before, after, pixels), share_among(after, before, pixels));
}

}  // namespace srcextract
