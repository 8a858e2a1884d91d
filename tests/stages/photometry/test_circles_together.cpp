#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "stages/photometry/circles.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

/// An image of noise with bad pixels, owners, and variances some of which are infinite.
struct NoisyImage {
  std::int32_t width, height;
  std::vector<float> pixels, variances;
  std::vector<std::int32_t> owners;

  NoisyImage(std::int32_t wide, std::int32_t high, std::mt19937_64& random) : width(wide), height(high) {
    std::normal_distribution<float> noise(0, 10);
    std::uniform_int_distribution<int> dice(0, 99);
    for (std::int64_t i = 0; i < std::int64_t{wide} * high; ++i) {
      const int one = dice(random);
      pixels.push_back(one == 0   ? std::numeric_limits<float>::quiet_NaN()
                       : one == 1 ? -0.0F
                       : one == 2 ? 3e38F
                                  : noise(random));
      variances.push_back(one == 3 ? std::numeric_limits<float>::infinity() : 1 + 0.01F * static_cast<float>(one));
      owners.push_back(one < 20 ? one - 10 : nobodys_pixel);
    }
  }

  PhotometryImage with(bool mapped, MaskNeighbours mask) const {
    return {pixels.data(), mapped ? variances.data() : nullptr, owners.data(), width, height, 0.25, 0, mask};
  }
};

MeasuredSource source_at(double x, double y) {
  return {3, {x, y, 2, 2, 0.25F, 0.25F, 0, true}, nullptr};
}

Settings asking_for(std::vector<double> diameters) {
  Settings config;
  config.measurement.apertures = std::move(diameters);
  return config;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Compares all circles of a source with those that are measured one by one, and counts those that hold light.
std::int64_t compare(const CircleFamily& family, const MeasuredSource& source, const PhotometryImage& image) {
  std::vector<int> kept(static_cast<std::size_t>(family.rows()));
  std::int64_t lit = 0;
  family.measure_together(HostLanes(), source, image, [&](int which, const CircleFlux& row) {
    const CircleFlux one = family.measure(HostLanes(), source, image, which);
    ++kept[static_cast<std::size_t>(which)];
    EXPECT_TRUE(same_bits(row.flux, one.flux) && same_bits(row.variance, one.variance) && row.flags == one.flags)
        << "radius " << family.radius[which] << " of " << family.rows() << " about " << source.shape.x << ", "
        << source.shape.y << ": " << row.flux << " for " << one.flux << ", " << row.variance << " for " << one.variance
        << ", flags " << row.flags << " for " << one.flags;
    lit += one.flux != 0 ? 1 : 0;
  });
  for (const int times : kept) EXPECT_EQ(times, 1);
  return lit;
}

constexpr MaskNeighbours masks[] = {MaskNeighbours::correct, MaskNeighbours::blank, MaskNeighbours::none};

TEST(CirclesTogether, HaveTheBitsOfOneAfterAnother) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> part(0, 1);
  std::int64_t lit = 0;
  for (int turn = 0; turn < testing::share(150) && !HasFailure(); ++turn) {
    const NoisyImage image(20 + turn % 7 * 15, 17 + turn % 5 * 19, random);
    std::vector<double> diameters;
    const int most = turn % 4 == 0 ? 100 : 2 + turn % 40;
    const double largest = turn % 3 == 0 ? 12 : turn % 3 == 1 ? 60 : 300;
    while (std::ssize(diameters) < most) {
      const double kind = part(random);
      diameters.push_back(kind < 0.1 && !diameters.empty() ? diameters.front()
                          : kind < 0.15                    ? 0.02 * part(random)
                          : kind < 0.2                     ? 1 + static_cast<double>(turn % 20)
                                                           : largest * part(random) + 1e-3);
    }
    if (turn % 10 == 0) diameters.back() = 10000;
    const CircleFamily family(asking_for(diameters));
    for (int n = 0; n < 4; ++n) {
      double x = part(random) * (image.width - 1), y = part(random) * (image.height - 1);
      if (n == 1) x = 0;
      if (n == 2) y = image.height - 1;
      if (n == 3) x = std::floor(x) + 0.5, y = std::floor(y);
      lit += compare(family, source_at(x, y), image.with((turn + n) % 2 == 0, masks[turn % 3]));
    }
  }
  EXPECT_GT(lit, testing::share(10000));
}

/// Radii that ascend by so little that windows of them are full, and by so much that most pixels are crossed by none.
TEST(CirclesTogether, OfAnySpacingHaveTheBitsOfOneAfterAnother) {
  std::mt19937_64 random(6);
  const NoisyImage image(90, 80, random);
  std::int64_t lit = 0;
  for (const double step : {0.0, 1e-6, 0.003, 0.1, 0.4, 3.0}) {
    for (const int count : {1, 8, 15, 16, 17, 31, 32, 33, 48, 99, 100}) {
      std::vector<double> diameters;
      for (int k = count; k > 0; --k) diameters.push_back(7.3 + step * k);
      lit += compare(CircleFamily(asking_for(diameters)), source_at(44.3, 41.8),
                     image.with(count % 2 == 0, MaskNeighbours::correct));
    }
  }
  EXPECT_EQ(lit, 6 * 400);
}

/// Where places are no more told apart by a tenth of a pixel, circles are measured by themselves.
TEST(CirclesTogether, FarFromTheFirstPixel) {
  std::mt19937_64 random(7);
  const NoisyImage image(131060, 21, random);
  std::vector<double> diameters;
  for (int k = 0; k < 60; ++k) diameters.push_back(1 + 0.5 * k);
  const CircleFamily family(asking_for(diameters));
  for (int n = 0; n < 8; ++n) {
    const MeasuredSource source = source_at(131040 - 0.13 * n, 10.4 + 0.07 * n);
    EXPECT_TRUE(family.are_measured_together(source));
    EXPECT_EQ(compare(family, source, image.with(n % 2 == 0, masks[n % 3])), 60);
  }
  EXPECT_FALSE(family.are_measured_together(source_at(131059, 10)));
  EXPECT_FALSE(CircleFamily(asking_for({2, 40})).are_measured_together(source_at(30, 10)));
}

}  // namespace
}  // namespace srcextract
