#pragma once

#include <cstdint>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "regression/matching/match.hpp"

namespace srcextract::testing {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double degree = std::numbers::pi / 180;

inline Positions pixels(std::vector<double> x, std::vector<double> y) {
  return {Frame::pixel, std::move(x), std::move(y), {}};
}
inline Positions sky(std::vector<double> ra, std::vector<double> dec) {
  return {Frame::sky, std::move(ra), std::move(dec), {}};
}

inline std::vector<std::int64_t> all_rows(std::int64_t count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double from, double to) { return std::uniform_real_distribution(from, to)(engine_); }
  double normal() { return normal_(engine_); }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

}  // namespace srcextract::testing
