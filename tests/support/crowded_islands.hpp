#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/fields.hpp"

namespace srcextract::testing {

/// Images above whose threshold of 1 are islands that are hard to deblend: `side` is about their size.
inline std::vector<Field> crowded_islands(std::int64_t side, unsigned seed) {
  std::vector<Field> fields;
  std::mt19937 random(seed);
  const auto add = [&](const std::string& name, const Shape& shape, const auto& value) {
    Field field{name, shape, {}};
    for (std::int64_t y = 0; y < shape.height; ++y)
      for (std::int64_t x = 0; x < shape.width; ++x) field.pixels.push_back(static_cast<float>(value(x, y)));
    fields.push_back(std::move(field));
  };
  std::uniform_int_distribution<int> few(0, 6), many(0, 400);
  std::normal_distribution<double> normal;
  add("plateaus", {side, side + 3}, [&](auto, auto) { return few(random); });
  add("one island of noise", {side + 1, side}, [&](auto, auto) { return 2 + many(random); });
  add("noise about the threshold", {side, side}, [&](auto, auto) { return 1 + normal(random); });
  add("checkerboard", {side, side}, [](auto x, auto y) { return (x + y) % 2 == 0 ? 100 : 1.5; });
  add("lattice", {side, side}, [](auto x, auto y) { return x % 4 == 0 && y % 4 == 0 ? 50 + (x * y) % 7 : 1.25; });
  add("steps to a corner", {side, side}, [](auto x, auto y) { return 1.0 + static_cast<double>(std::min(x, y)); });
  add("flat", {side, side}, [](auto, auto) { return 5; });
  add("one row", {side * 7, 1}, [&](auto, auto) { return std::exp(2 * normal(random)); });
  add("one column", {1, side * 7}, [&](auto, auto) { return std::exp(2 * normal(random)); });
  std::vector<std::array<double, 4>> stars;
  std::uniform_real_distribution<double> at(-2, static_cast<double>(side) + 2), width(0.8, 3);
  for (std::int64_t i = 0; i < side * side / 40; ++i)
    stars.push_back({at(random), at(random), std::exp(1.5 * normal(random)) * 8, width(random)});
  add("stars", {side, side}, [&](auto x, auto y) {
    double sum = 0.3 * normal(random);
    for (const auto& [sx, sy, height, sigma] : stars) {
      const double r2 = (std::pow(static_cast<double>(x) - sx, 2) + std::pow(static_cast<double>(y) - sy, 2));
      if (r2 < 36 * sigma * sigma) sum += height * std::pow(1 + r2 / (3 * sigma * sigma), -2.5);
    }
    return sum;
  });
  return fields;
}

}  // namespace srcextract::testing
