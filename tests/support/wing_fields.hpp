#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/fields.hpp"

namespace srcextract::testing {

/// Images above whose threshold of 1 there is much that bright stars may absorb: Moffat stars, round and elliptical,
/// with noise in their wings.
inline std::vector<Field> wing_fields(unsigned seed, const Shape& shape = {90, 77}) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  struct Star {
    double x, y, peak, scale, squeeze, sine, cosine, beta;
  };
  const auto field_of = [&](const char* name, double per_star, double squeeze, bool plateaus) {
    std::vector<Star> stars;
    for (double i = 0; i < width * height / per_star; ++i) {
      const double angle = 3.14 * unit(random);
      stars.push_back({width * unit(random), height * unit(random), 3 * std::pow(unit(random), -1.3),
                       1 + 2 * unit(random), 1 + squeeze * unit(random), std::sin(angle), std::cos(angle),
                       1.2 + 2 * unit(random)});
    }
    Field field{name, shape, {}};
    for (std::int64_t y = 0; y < shape.height; ++y)
      for (std::int64_t x = 0; x < shape.width; ++x) {
        double sum = 0.35 * normal(random);
        for (const Star& star : stars) {
          const double dx = static_cast<double>(x) - star.x, dy = static_cast<double>(y) - star.y;
          const double u = (dx * star.cosine + dy * star.sine) / star.scale;
          const double v = (dy * star.cosine - dx * star.sine) / star.scale * star.squeeze;
          const double r2 = u * u + v * v;
          if (r2 < 400) sum += star.peak * std::pow(1 + r2, -star.beta);
        }
        field.pixels.push_back(static_cast<float>(plateaus ? std::floor(4 * sum) / 4 : sum));
      }
    return field;
  };
  return {field_of("Moffat stars", 900, 0, false), field_of("ellipses", 500, 3, false),
          field_of("crowded", 60, 1, false), field_of("plateaus of stars", 300, 1, true)};
}

/// Shapes whose rows join late, of pixels of any height.
inline std::vector<Field> late_fields(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Field> fields;
  for (const Field& mask : hostile_fields()) {
    if (mask.shape.count() > 40'000) continue;
    fields.push_back(mask);
    for (float& pixel : fields.back().pixels)
      pixel = pixel > 0.5F ? 1 + std::abs(pixel) * static_cast<float>(std::exp(2 * normal(random))) : 0;
  }
  return fields;
}

}  // namespace srcextract::testing
