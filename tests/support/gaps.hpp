#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/support/fields.hpp"

namespace srcextract::testing {

/// An image and the variances of its pixels, with gaps: where a variance is NaN the pixel is bad.
struct Gaps {
  Field image;
  std::vector<float> variances;
};

/// Gaps of one kind in an image of that shape: single pixels, some or most of them, whole columns, whole rows, blocks,
/// or everything. A few pixels have no value either.
inline Gaps gaps(const Shape& shape, int kind, unsigned seed) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(0, 1);
  Gaps made{{"gaps of kind " + std::to_string(kind), shape, {}}, {}};
  std::vector<bool> columns, rows;
  for (std::int64_t x = 0; x < shape.width; ++x) columns.push_back(any(random) < 0.2F);
  for (std::int64_t y = 0; y < shape.height; ++y) rows.push_back(any(random) < 0.3F);
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const std::int64_t x = i % shape.width, y = i / shape.width;
    const bool bad[] = {any(random) < 0.05F,
                        any(random) < 0.9F,
                        columns[static_cast<std::size_t>(x)],
                        rows[static_cast<std::size_t>(y)],
                        x / 23 % 2 == 0 && y / 19 % 2 == 0,
                        true};
    const bool worthless = any(random) < 0.01F;
    made.image.pixels.push_back(worthless ? nan : any(random));
    made.variances.push_back(worthless || bad[kind] ? nan : 1 + any(random));
  }
  return made;
}
inline constexpr int kinds_of_gaps = 6;

/// Shapes that gaps matter to.
inline const Shape gap_shapes[] = {{1, 1}, {1, 90}, {90, 1}, {33, 2}, {255, 40}, {256, 33}, {301, 120}};

}  // namespace srcextract::testing
