#include "stages/difference/difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/same_bits.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::nan;
using testing::same_bits;
using testing::StageTest;

using Pixels32 = std::vector<float>;

const Shape shapes[] = {{0, 0}, {1, 1}, {1, 33}, {31, 1}, {32, 32}, {33, 31}, {701, 397}};

Background sky_of(double level, double sigma, std::int64_t count = 1000) {
  Background background;
  background.all = {count, level, level, sigma, 0, 0};
  background.clipped = background.all;
  return background;
}

/// Sky with noise and, here and there, something bright that is in both frames; some pixels are masked in one or both.
struct Scene {
  Shape shape;
  Pixels32 reference, fresh;
};
Scene make_scene(Shape shape, double masked, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Scene scene{shape, {}, {}};
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const double flux = random() % 4 == 0 ? std::exp(std::abs(normal(random)) * 4) : 0;
    const auto add = [&](Pixels32& pixels, double value) {
      pixels.push_back(random() % 1000 < 1000 * masked ? nan : static_cast<float>(value));
    };
    add(scene.reference, 100.25 + 3.5 * normal(random) + flux);
    add(scene.fresh, -40.5 + 2.25 * normal(random) + 1.7 * flux);
  }
  return scene;
}
const Background reference_sky = sky_of(100.25, 3.5);
const Background fresh_sky = sky_of(-40.5, 2.25);

template <class Where>
FrameSkies<Where> skies_on(const Backend<Where>& backend) {
  return {backend.put_value(reference_sky), backend.put_value(fresh_sky)};
}

/// What subtract_frames made, on the host.
struct Subtracted {
  Pixels32 image, noise;
  MaskCounts masked;
};

template <class Where>
class Difference : public StageTest<Where> {
 protected:
  template <class On>
  static Subtracted subtract_on(const Backend<On>& backend, const On& where, const Scene& scene,
                                const Background& ratios, const DifferenceConfig& config, double gain) {
    const auto reference = testing::put_image(backend, scene.shape, scene.reference);
    const auto fresh = testing::put_image(backend, scene.shape, scene.fresh);
    Pixels<On> out(scene.shape, where);
    subtract_frames(reference, fresh, skies_on(backend), backend.put_value(ratios), config, {gain, 2 * gain}, out,
                    where);
    return {backend.get(out.image.pixels), backend.get(out.noise.pixels), fetch(out.masked, where)};
  }

  /// Fails if other threads, or the other back end, give other bytes.
  Subtracted subtract(const Scene& scene, const Background& ratios, const DifferenceConfig& config, double gain) {
    const Subtracted result = subtract_on(this->backend(), this->where(), scene, ratios, config, gain);
    const Subtracted single = subtract_on(Backend<Cpu>(), Cpu{1}, scene, ratios, config, gain);
    EXPECT_TRUE(same_bits(result.image, single.image));
    EXPECT_TRUE(same_bits(result.noise, single.noise));
    EXPECT_EQ(result.masked.nan, single.masked.nan);
    return result;
  }
};
TYPED_TEST_SUITE(Difference, Backends);

TYPED_TEST(Difference, RatiosAreOfPixelsBrightInBothFrames) {
  for (const Shape& shape : shapes) {
    for (const double masked : {0.0, 0.1, 1.0}) {
      const Scene scene = make_scene(shape, masked, 21);
      const auto ratios = flux_ratios(this->image(shape, scene.reference), this->image(shape, scene.fresh),
                                      skies_on(this->backend()), this->where());
      ASSERT_EQ(ratios.shape, shape);
      const Pixels32 pixels = this->backend().get(ratios.pixels);
      const Backend<Cpu> cpu;
      const auto single = flux_ratios(testing::put_image(cpu, shape, scene.reference),
                                      testing::put_image(cpu, shape, scene.fresh), skies_on(cpu), Cpu{1});
      EXPECT_TRUE(same_bits(pixels, cpu.get(single.pixels)));
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        const long double r = static_cast<long double>(scene.reference[i]) - 100.25L;
        const long double n = static_cast<long double>(scene.fresh[i]) + 40.5L;
        if (!(r > 0) || !(n > 0) || !(r / 3.5L + n / 2.25L > 20)) {  // masked ones, too
          ASSERT_TRUE(std::isnan(pixels[i])) << i;
        } else {
          ASSERT_EQ(pixels[i], static_cast<float>(n / r)) << i;
        }
      }
    }
  }
}

TYPED_TEST(Difference, RatiosAreNeverInfinite) {
  const auto ratios =
      flux_ratios(this->image({4, 1}, Pixels32{1e-30F, 1, 1, 2}), this->image({4, 1}, Pixels32{1e30F, 3, -1, nan}),
                  {this->backend().put_value(sky_of(0, 0)), this->backend().put_value(sky_of(0, 0))}, this->where());
  const Pixels32 pixels = this->backend().get(ratios.pixels);
  EXPECT_TRUE(std::isnan(pixels[0]));
  EXPECT_EQ(pixels[1], 3);  // no noise: as bright as can be
  EXPECT_TRUE(std::isnan(pixels[2]));
  EXPECT_TRUE(std::isnan(pixels[3]));
}

TYPED_TEST(Difference, SubtractsTheScaledReferenceAndBothSkies) {
  const Background ratios = sky_of(1.7, 0.01, least_ratios);
  for (const Shape& shape : shapes) {
    for (const double masked : {0.0, 0.1, 1.0}) {
      const Scene scene = make_scene(shape, masked, 22);
      const Subtracted result = this->subtract(scene, ratios, {}, 0);
      ASSERT_EQ(result.image.size(), scene.fresh.size());
      EXPECT_TRUE(result.noise.empty());
      std::int64_t nans = 0;
      for (std::size_t i = 0; i < result.image.size(); ++i) {
        const long double truth = (static_cast<long double>(scene.fresh[i]) + 40.5L) -
                                  1.7L * (static_cast<long double>(scene.reference[i]) - 100.25L);
        nans += std::isnan(truth);
        ASSERT_EQ(std::isnan(result.image[i]), std::isnan(truth)) << i;
        if (std::isnan(truth)) continue;
        ASSERT_NEAR(result.image[i], static_cast<double>(truth), std::abs(static_cast<double>(truth)) * 0x1p-24 + 1e-9)
            << i;
      }
      EXPECT_EQ(result.masked.nan, nans);
      EXPECT_EQ(result.masked.total(), nans);
    }
  }
}

TYPED_TEST(Difference, MatchesOnlyWhatIsAskedForAndCanBeTold) {
  const Scene scene{{2, 1}, {110.25F, nan}, {-20.5F, 7}};
  const auto difference = [&](const Background& ratios, bool flux, bool background) {
    DifferenceConfig config;
    config.match_flux = flux;
    config.match_background = background;
    return this->subtract(scene, ratios, config, 0).image[0];
  };
  const Background told = sky_of(1.5, 0.1, 50);
  const Background few = sky_of(1.5, 0.1, 49);
  EXPECT_EQ(difference(told, true, true), 20 - 15);
  EXPECT_EQ(difference(few, true, true), 20 - 10);
  EXPECT_EQ(difference(told, false, true), 20 - 10);
  EXPECT_EQ(difference(told, true, false), -20.5 - 1.5 * 110.25);
  EXPECT_EQ(difference(few, true, false), -20.5 - 110.25);
  EXPECT_EQ(difference(Background{}, true, true), 20 - 10);
}

TYPED_TEST(Difference, NoiseGrowsWithTheFluxOfBothFrames) {
  const double scale = 1.7;
  const double gain = 0.8;
  for (const Shape& shape : shapes) {
    const Scene scene = make_scene(shape, 0.1, 23);
    const Subtracted result = this->subtract(scene, sky_of(scale, 0.1), {}, gain);
    ASSERT_EQ(result.noise.size(), scene.fresh.size());
    for (std::size_t i = 0; i < result.noise.size(); ++i) {
      const double n = static_cast<double>(scene.fresh[i]) + 40.5;
      const double r = static_cast<double>(scene.reference[i]) - 100.25;
      ASSERT_EQ(std::isnan(result.noise[i]), std::isnan(n - r)) << i;
      if (std::isnan(n - r)) continue;
      // A count of the reference is twice the electrons.
      const double electrons = std::fmax(0, n) + scale * scale * std::fmax(0, r) / 2;
      const double sky_variance = 2.25 * 2.25 + scale * scale * 3.5 * 3.5;
      ASSERT_FLOAT_EQ(result.noise[i], static_cast<float>(1 + electrons / gain / sky_variance)) << i;
    }
  }
}

TYPED_TEST(Difference, WithoutNoiseOfTheSkyItIsTheSameAllOver) {
  const auto reference = this->image({2, 1}, Pixels32{5, nan});
  const auto fresh = this->image({2, 1}, Pixels32{900, 4});
  Pixels<TypeParam> out({2, 1}, this->where());
  subtract_frames(reference, fresh, {this->backend().put_value(sky_of(0, 0)), this->backend().put_value(sky_of(0, 0))},
                  this->backend().put_value(Background{}), {}, {2.0, 2.0}, out, this->where());
  const Pixels32 noise = this->backend().get(out.noise.pixels);
  EXPECT_EQ(noise[0], 1);
  EXPECT_TRUE(std::isnan(noise[1]));
}

TYPED_TEST(Difference, NoiseIsForgottenWhereItIsNotAskedFor) {
  const auto frame = this->image({2, 1}, Pixels32{5, 7});
  Pixels<TypeParam> out({2, 1}, this->where());
  for (const double gain : {2.0, 0.0}) {
    subtract_frames(frame, frame, skies_on(this->backend()), this->backend().put_value(Background{}), {}, {gain}, out,
                    this->where());
    EXPECT_EQ(out.noise.pixels.empty(), gain == 0);
  }
}

TYPED_TEST(Difference, BeyondTheRangeOfFloatIsMasked) {
  const float largest = std::numeric_limits<float>::max();
  const Subtracted result = this->subtract({{2, 1}, {-largest, 1}, {largest, 2}}, Background{}, {}, 0);
  EXPECT_TRUE(std::isnan(result.image[0]));
  EXPECT_FALSE(std::isnan(result.image[1]));
  EXPECT_EQ(result.masked.nan, 1);
}

TYPED_TEST(Difference, NegationTurnsEverySign) {
  for (const Shape& shape : shapes) {
    const Scene scene = make_scene(shape, 0.1, 24);
    auto image = this->image(shape, scene.fresh);
    negate(image, this->where());
    Pixels32 expected = scene.fresh;
    for (float& pixel : expected) pixel = std::isnan(pixel) ? nan : 0.0F - pixel;
    EXPECT_TRUE(same_bits(this->backend().get(image.pixels), expected));
    negate(image, this->where());
    EXPECT_TRUE(same_bits(this->backend().get(image.pixels), scene.fresh));
  }
}

TYPED_TEST(Difference, WeighedPixelsHaveTheNoiseOfTheSky) {
  std::mt19937 random(25);
  for (const Shape& shape : shapes) {
    const Scene scene = make_scene(shape, 0.1, 26);
    Pixels32 noise;
    for (std::int64_t i = 0; i < shape.count(); ++i) noise.push_back(1 + static_cast<float>(random() % 1000) / 64);
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = std::isnan(scene.fresh[i]) ? nan : noise[i];
    const auto result = weigh_pixels(this->image(shape, scene.fresh), this->image(shape, noise),
                                     this->backend().put_value(fresh_sky), this->where());
    ASSERT_EQ(result.shape, shape);
    const Pixels32 pixels = this->backend().get(result.pixels);
    const Backend<Cpu> cpu;
    const auto single = weigh_pixels(testing::put_image(cpu, shape, scene.fresh), testing::put_image(cpu, shape, noise),
                                     fresh_sky, Cpu{1});
    EXPECT_TRUE(same_bits(pixels, cpu.get(single.pixels)));
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      ASSERT_EQ(std::isnan(pixels[i]), std::isnan(scene.fresh[i])) << i;
      if (std::isnan(pixels[i])) continue;
      const double truth =
          (static_cast<double>(scene.fresh[i]) + 40.5) / std::sqrt(static_cast<double>(noise[i])) - 40.5;
      ASSERT_NEAR(pixels[i], truth, (std::abs(truth) + std::abs(static_cast<double>(scene.fresh[i])) + 41) * 0x1p-23)
          << i;
    }
  }
}

}  // namespace
}  // namespace srcextract
