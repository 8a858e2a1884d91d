#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "stages/math/star_profile.hpp"
#include "tests/support/backends.hpp"

namespace srcextract::testing {

/// Round Gaussian stars, whose filter is their shape. In a field of this shape the amplitude of the second term makes
/// them wider to the right.
template <class Where>
StarProfile<Where> gaussian_stars(const Backend<Where>& backend, Shape field, double sigma, double correlation = 1,
                                  double to_the_right = 0) {
  constexpr int half = 12, terms = field_terms(1), side = 2 * half + 1;
  constexpr double pi = 3.14159265358979323846;
  std::vector<float> light(static_cast<std::size_t>(terms * side * side), 0);
  for (int y = -half; y <= half; ++y) {
    for (int x = -half; x <= half; ++x) {
      const auto tap = static_cast<std::size_t>((y + half) * side + x + half);
      const double r2 = (x * x + y * y) / (sigma * sigma);
      const double value = std::exp(-r2 / 2) / (2 * pi * sigma * sigma);
      light[tap] = static_cast<float>(value);
      light[tap + side * side] = static_cast<float>(to_the_right * (r2 / 2 - 1) * value);
    }
  }
  std::vector<float> both = light;
  both.insert(both.end(), light.begin(), light.end());
  StarProfile<Where> star;
  star.sizes = {.light = {nullptr, half, terms},
                .filter = {nullptr, half, terms},
                .width = static_cast<double>(field.width),
                .height = static_cast<double>(field.height),
                .correlation = correlation};
  star.values = backend.put(both);
  star.in_middle.assign(light.begin(), light.begin() + side * side);
  return star;
}

}  // namespace srcextract::testing
