#include "tests/support/fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/rounds.hpp"

namespace srcextract::testing {

namespace {

using Foreground = std::function<bool(std::int64_t x, std::int64_t y)>;

/// 1 on a noise of 0.01, so that the clip finds a sky.
Field shaped(const std::string& name, Shape shape, const Foreground& foreground) {
  std::mt19937 random(7);
  std::normal_distribution<float> noise(0, 0.01F);
  Field field{name, shape, {}};
  for (std::int64_t y = 0; y < shape.height; ++y) {
    for (std::int64_t x = 0; x < shape.width; ++x) field.pixels.push_back(noise(random) + (foreground(x, y) ? 1 : 0));
  }
  return field;
}

Field filled_by(const std::string& name, Shape shape, const std::function<float(std::int64_t)>& value) {
  Field field{name, shape, {}};
  for (std::int64_t i = 0; i < shape.count(); ++i) field.pixels.push_back(value(i));
  return field;
}

/// One line that winds inwards, two pixels apart: the longest path that a labelling must join.
bool on_spiral(std::int64_t x, std::int64_t y, std::int64_t size) {
  const std::int64_t ring = std::min(std::min(x, y), std::min(size - 1 - x, size - 1 - y));
  if (ring % 2 == 1) return x == ring && y == ring + 1;  // the step from one turn to the next
  return !(x == ring && y == ring + 1);
}

LargeField large_shape(const std::string& name,
                       const std::function<bool(std::int64_t x, std::int64_t y, std::int64_t size)>& foreground) {
  return {name, 0.5, [=](std::int64_t size) {
            return shaped(name, {size, size}, [&](auto x, auto y) { return foreground(x, y, size); });
          }};
}

/// `value` of a normal deviate with stars on it, pixel by pixel.
LargeField large_sky(const std::string& name, const std::function<float(float)>& value) {
  return {name, std::nullopt, [=](std::int64_t size) {
            Field field = star_field({size, size}, 0, 1, 1000, 1);
            for (float& pixel : field.pixels) pixel = value(pixel);
            return field;
          }};
}

}  // namespace

Field star_field(Shape shape, double mean, double sigma, std::int64_t pixels_per_star, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(mean, sigma);
  Field field{"star field", shape, std::vector<float>(static_cast<std::size_t>(shape.count()))};
  for (float& pixel : field.pixels) pixel = static_cast<float>(noise(random));
  std::uniform_real_distribution<double> unit(0, 1);
  for (std::int64_t star = 0; star < shape.count() / pixels_per_star; ++star) {
    const double x0 = unit(random) * static_cast<double>(shape.width);
    const double y0 = unit(random) * static_cast<double>(shape.height);
    const double peak = 8 * sigma / (0.02 + unit(random));
    const auto cx = static_cast<std::int64_t>(x0);
    const auto cy = static_cast<std::int64_t>(y0);
    for (std::int64_t y = std::max<std::int64_t>(0, cy - 6); y < std::min(shape.height, cy + 7); ++y) {
      for (std::int64_t x = std::max<std::int64_t>(0, cx - 6); x < std::min(shape.width, cx + 7); ++x) {
        const double r2 = (static_cast<double>(x) - x0) * (static_cast<double>(x) - x0) +
                          (static_cast<double>(y) - y0) * (static_cast<double>(y) - y0);
        field.pixels[static_cast<std::size_t>(y * shape.width + x)] += static_cast<float>(peak * std::exp(-r2 / 4.5));
      }
    }
  }
  return field;
}

Field random_mask(Shape shape, double probability, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution foreground(probability);
  return filled_by("random mask", shape, [&](std::int64_t) { return foreground(random) ? 1.0F : 0.0F; });
}

std::vector<Field> hostile_fields() {
  constexpr float masked = std::numeric_limits<float>::quiet_NaN();
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::cauchy_distribution<float> cauchy;
  std::vector<Field> fields;
  for (const std::int64_t width : {1, 31, 32, 33, 64, 127, 1025}) {
    fields.push_back(star_field({width, 97}, 0, 1, 300, static_cast<unsigned>(width)));
    fields.back().name += " of width " + std::to_string(width);
  }
  fields.push_back(star_field({5000, 1}, 10, 2, 100, 5));
  fields.push_back(filled_by("one pixel", {1, 1}, [](std::int64_t) { return 3.0F; }));
  fields.push_back(filled_by("constant", {70, 70}, [](std::int64_t) { return -2.5F; }));
  fields.push_back(filled_by("all masked but one", {65, 65}, [](std::int64_t i) { return i == 4000 ? 7.0F : masked; }));
  fields.push_back(filled_by("every third masked", {301, 200},
                             [&](std::int64_t i) { return i % 3 == 0 ? masked : normal(random); }));
  fields.push_back(filled_by("quantised", {512, 300}, [&](std::int64_t) { return std::round(normal(random) * 2); }));
  fields.push_back(filled_by("mostly equal", {512, 300}, [](std::int64_t i) { return i % 100 == 0 ? 5.0F : 1.0F; }));
  fields.push_back(filled_by("heavy-tailed", {700, 300}, [&](std::int64_t) { return cauchy(random); }));
  fields.push_back(filled_by("bright sky", {700, 300}, [&](std::int64_t) { return 1e6F + normal(random); }));
  fields.push_back(filled_by("huge values", {300, 300}, [&](std::int64_t i) {
    return i % 1000 == 7 ? 3e38F : i % 1000 == 8 ? -3e38F : normal(random);
  }));
  fields.push_back(filled_by("tiny values", {300, 300}, [&](std::int64_t) { return 1e-42F * normal(random); }));
  fields.push_back(shaped("checkerboard", {333, 257}, [](auto x, auto y) { return (x + y) % 2 == 0; }));
  fields.push_back(shaped("spiral", {301, 301}, [](auto x, auto y) { return on_spiral(x, y, 301); }));
  fields.push_back(shaped("rings", {400, 400}, [](auto x, auto y) {
    return static_cast<int>(std::hypot(static_cast<double>(x - 200), static_cast<double>(y - 200))) % 4 == 0;
  }));
  fields.push_back(shaped("comb", {515, 600}, [](auto x, auto y) { return x % 2 == 0 || y == 599; }));
  fields.push_back(shaped("comb upside down", {515, 600}, [](auto x, auto y) { return x % 2 == 0 || y == 0; }));
  // Sources of 1, 2, 5, 4, 9, 6, ... runs: upright lines, and pairs of them that are joined at the top.
  fields.push_back(shaped("lines of every length", {560, 140}, [](auto x, auto y) {
    return y <= x / 4 && (x % 4 == 0 || (x / 4 % 2 == 0 && (x % 4 == 2 || (x % 4 == 1 && y == 0))));
  }));
  // Sources as long as the image take long to measure: with sanitizers the image is smaller.
  const std::int64_t long_side = sanitized ? 200 : 600;
  fields.push_back(shaped("diagonals", {long_side, long_side}, [](auto x, auto y) { return (x + y) % 5 == 0; }));
  fields.push_back(shaped("one giant source", {1200, 900}, [](auto x, auto y) { return x > 0 && y > 0; }));
  fields.push_back(shaped("long rows", {9000, 11}, [](auto, auto y) { return y % 2 == 0; }));
  return fields;
}

std::vector<LargeField> large_hostile_fields() {
  return {
      large_shape("checkerboard", [](auto x, auto y, auto) { return (x + y) % 2 == 0; }),
      large_shape("rings",
                  [](auto x, auto y, auto size) {
                    const auto centre = size / 2;
                    const auto from_centre = [&](auto at) { return static_cast<double>(at - centre); };
                    return static_cast<int>(std::hypot(from_centre(x), from_centre(y))) % 4 == 0;
                  }),
      large_shape("spiral", on_spiral),
      large_shape("giant", [](auto x, auto y, auto) { return x > 0 && y > 0; }),
      {"half_random", 0.5,
       [](std::int64_t size) {
         return random_mask({size, size}, 0.5, 3);
       }},
      {"constant", 0.5,
       [](std::int64_t size) {
         return filled_by("", {size, size}, [](auto) { return 1.0F; });
       }},
      large_sky("quantised", [](float value) { return std::clamp(std::round(100 + 2 * value), 0.0F, 255.0F); }),
      {"heavy_tailed", std::nullopt,
       [](std::int64_t size) {
         std::mt19937 random(11);
         std::cauchy_distribution<float> cauchy;
         return filled_by("", {size, size}, [&](auto) { return cauchy(random); });
       }},
      large_sky("bright", [](float value) { return 1e6F + value; }),
  };
}

}  // namespace srcextract::testing
