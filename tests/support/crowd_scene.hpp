#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "stages/crowd/crowd_field.hpp"
#include "tests/support/psf_tables.hpp"

namespace srcextract::testing {

/// A small image of crowded elliptical Moffat stars.
struct CrowdScene {
  static constexpr std::int64_t width = 120, height = 90;
  static constexpr double sky_level = 40, sigma = 2;

  static PsfPlane star() { return moffat(3.1, 1.2, 0.7); }

  std::vector<float> pixels;
  std::vector<CrowdStar> stars;

  CrowdScene(std::uint32_t seed, int count) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(0, 1);
    std::normal_distribution<double> noise(0, sigma);
    pixels.assign(width * height, 0);
    for (int i = 0; i < count; ++i)
      stars.push_back({part(random) * width - 0.5, part(random) * height - 0.5, 400 * std::pow(50, part(random)), 1});
    const PsfPlane shape = star();
    for (std::int64_t i = 0; i < width * height; ++i) {
      const std::int64_t row = i / width;
      double light = sky_level + noise(random);
      for (const CrowdStar& one : stars)
        light += one.flux * shape(static_cast<double>(i % width) - one.x, static_cast<double>(row) - one.y);
      pixels[static_cast<std::size_t>(i)] = static_cast<float>(light);
    }
  }

  CrowdImage image() const {
    CrowdImage of;
    of.pixels = pixels.data();
    of.shape = {width, height};
    of.background = sky_level;
    of.unit = 3 * sigma * sigma;  // the start of what is measured
    return of;
  }
};

/// The numbers of a PSF with these planes.
inline std::vector<double> crowd_psf_numbers(int side, double step, const std::vector<PsfPlane>& planes) {
  Settings config;
  set_psf(psf_table(side, step, 6, planes), config);
  return *config.resources.numbers_of(psf_key);
}

}  // namespace srcextract::testing
