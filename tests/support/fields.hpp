#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract::testing {

/// A masked pixel.
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// A host image to feed to either back end.
struct Field {
  std::string name;
  Shape shape;
  std::vector<float> pixels;
};

/// Gaussian noise of that mean and sigma with Gaussian stars on it, one in `pixels_per_star` pixels; reproducible.
Field star_field(Shape shape, double mean, double sigma, std::int64_t pixels_per_star, unsigned seed);

/// Pixels that are 1 with the given probability, else 0.
Field random_mask(Shape shape, double probability, unsigned seed);

/// Images that break assumptions: one pixel, odd widths, all masked but one, quantised, heavy-tailed, a bright sky,
/// rings, a spiral, a checkerboard, combs that join at the end, everything or nothing above any threshold.
/// The foreground of the geometric ones is 1 on 0 with a little noise below.
std::vector<Field> hostile_fields();

/// A hostile image of whatever size is asked for.
struct LargeField {
  std::string name;
  std::optional<double> threshold;  ///< that tells sources from the rest, where 5 sigma above the sky would not
  std::function<Field(std::int64_t size)> make;
};

/// The images that could cost more than a normal one of the same size.
std::vector<LargeField> large_hostile_fields();

}  // namespace srcextract::testing
