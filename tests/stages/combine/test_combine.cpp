#include "stages/combine/combine.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::StageTest;
using Plane = std::vector<float>;

constexpr float masked = std::numeric_limits<float>::quiet_NaN();

/// What goes in, on the host.
struct Case {
  CombineConfig config;
  Shape shape;
  std::vector<Plane> planes;
  std::vector<Background> skies = {};
};

struct Combined {
  Plane pixels;
  MaskCounts masked;
};

MaskCounts count_masked(const Plane& plane) {
  return {.nan = std::count_if(plane.begin(), plane.end(), [](float v) { return std::isnan(v); })};
}

template <class Where>
Combined combine(const Backend<Where>& backend, const Where& where, const Case& input) {
  std::vector<Pixels<Where>> planes;
  for (const Plane& plane : input.planes) {
    Pixels<Where>& there = planes.emplace_back();
    there.image.shape = input.shape;
    there.image.pixels = backend.put(plane);
    there.masked = backend.put_value(count_masked(plane));
  }
  std::vector<Value<Background, Where>> skies;
  for (const Background& sky : input.skies) skies.push_back(backend.put_value(sky));
  Pixels<Where> out(input.shape, where);
  combine_planes(planes, skies, input.config, out, where);
  EXPECT_TRUE(out.noise.pixels.empty());
  return {backend.get(out.image.pixels), fetch(out.masked, where)};
}

template <class Where>
class Combine : public StageTest<Where> {
 protected:
  Combined combined(const Case& input) { return combine(this->backend(), this->where(), input); }

  /// Of planes of one pixel each.
  float pixel(const CombineConfig& config, const Plane& values, const std::vector<Background>& skies = {}) {
    Case input{config, {1, 1}, {}, skies};
    for (const float value : values) input.planes.push_back({value});
    return combined(input).pixels.at(0);
  }
};
TYPED_TEST_SUITE(Combine, Backends);

CombineConfig method(CombineMethod method) {
  CombineConfig config;
  config.method = method;
  return config;
}

CombineConfig weighted(const std::vector<double>& weights) {
  CombineConfig config = method(CombineMethod::weighted);
  config.weights = weights;
  return config;
}

Background sky_of(double level, double sigma) {
  Background sky;
  sky.all.count = sky.clipped.count = 100;
  sky.clipped.median = level;
  sky.clipped.sigma = sigma;
  return sky;
}

/// The same bits, of which all NaNs are to have those that mean masked.
void expect_same_bytes(const Plane& ours, const Plane& others) {
  ASSERT_EQ(ours.size(), others.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_EQ(std::memcmp(&ours[i], &others[i], sizeof(float)), 0)
        << "pixel " << i << ": " << ours[i] << ", " << others[i];
    if (std::isnan(ours[i])) {
      ASSERT_EQ(std::memcmp(&ours[i], &masked, sizeof(float)), 0) << "pixel " << i;
    }
  }
}

constexpr CombineMethod all_methods[] = {CombineMethod::weighted,   CombineMethod::luminosity,
                                         CombineMethod::mean,       CombineMethod::inverse_variance,
                                         CombineMethod::chi_square, CombineMethod::median};

/// Noise with skies and scales of their own in every plane, of which a share is masked, with rows that are masked in
/// all planes, and with pixels that are equal, zero of either sign, huge or tiny.
Case random_case(CombineMethod chosen, Shape shape, std::size_t planes, double masked_share, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Case result{method(chosen), shape, {}, {}};
  for (std::size_t k = 0; k < planes; ++k) {
    result.config.weights.push_back(0.1 + uniform(random));
    result.skies.push_back(sky_of(100 * normal(random), k % 5 == 4 ? 0 : std::exp(3 * normal(random))));
    Plane plane(static_cast<std::size_t>(shape.count()));
    for (std::size_t i = 0; i < plane.size(); ++i) {
      const double value = result.skies.back().clipped.median + 5 * normal(random);
      constexpr float odd_ones[] = {0.0F, -0.0F, 1.0F, 1e30F, -1e30F, 1e-42F};
      plane[i] = uniform(random) < 0.1 ? odd_ones[random() % std::size(odd_ones)] : static_cast<float>(value);
      if (uniform(random) < masked_share || i % 97 == 13) plane[i] = masked;
    }
    result.planes.push_back(std::move(plane));
  }
  return result;
}

/// In extended precision, straight from the definitions; NaN where masked.
long double truth(const Case& input, std::size_t at) {
  struct Good {
    long double value, weight, sky, sigma;
  };
  constexpr double rgb[] = {0.21, 0.71, 0.07};
  const CombineMethod chosen = input.config.method;
  std::vector<Good> good;
  long double all_weights = 0, all_planes = 0;
  for (std::size_t k = 0; k < input.planes.size(); ++k) {
    const long double weight = chosen == CombineMethod::weighted     ? input.config.weights[k]
                               : chosen == CombineMethod::luminosity ? rgb[k % 3]
                                                                     : 1;
    const long double sigma = input.skies[k].clipped.sigma;
    if (needs_skies(chosen) && sigma == 0) continue;
    all_weights += weight;
    ++all_planes;
    const float value = input.planes[k][at];
    if (!std::isnan(value)) good.push_back({value, weight, input.skies[k].clipped.median, sigma});
  }
  if (good.empty()) return masked;
  long double sum = 0, below = 0;
  for (const auto& [value, weight, sky, sigma] : good) {
    const long double above = (value - sky) / sigma;
    sum += chosen == CombineMethod::chi_square ? above * above : needs_skies(chosen) ? above / sigma : weight * value;
    below += needs_skies(chosen) ? 1 / (sigma * sigma) : weight;
  }
  if (chosen == CombineMethod::chi_square) return sum * all_planes / static_cast<long double>(good.size());
  if (chosen == CombineMethod::inverse_variance) return sum / below;
  if (chosen == CombineMethod::mean) return sum / static_cast<long double>(good.size());
  if (chosen != CombineMethod::median) return sum * all_weights / below;
  std::sort(good.begin(), good.end(), [](const Good& a, const Good& b) { return a.value < b.value; });
  return (good[(good.size() - 1) / 2].value + good[good.size() / 2].value) / 2;
}

/// A float is as near as it can be, but for what sums of doubles may round: `scale` is the largest of the terms.
void expect_near(float ours, long double exact, long double scale, const char* what) {
  ASSERT_EQ(std::isnan(ours), std::isnan(exact)) << what;
  if (std::isnan(ours)) return;
  const float next = std::nextafter(std::fabs(ours), std::numeric_limits<float>::infinity());
  const long double half_step = (static_cast<long double>(next) - std::fabs(ours)) / 2;
  ASSERT_LE(std::fabs(ours - exact), half_step * (1 + 1e-6L) + 1e-13L * scale) << what << ": " << ours;
}

/// The largest magnitude that the sum of a pixel can go through.
long double scale_at(const Case& input, std::size_t at) {
  long double largest = 0;
  for (std::size_t k = 0; k < input.planes.size(); ++k) {
    const Statistics& sky = input.skies[k].clipped;
    const long double value = input.planes[k][at];
    if (std::isnan(value)) continue;
    const long double chi = sky.sigma > 0 ? (value - sky.median) / sky.sigma : 0;
    largest = std::max({largest, std::fabs(value),
                        input.config.method == CombineMethod::chi_square ? chi * chi : std::fabs(value - sky.median)});
  }
  return 64 * largest;
}

void expect_true(const Case& input, const Plane& ours) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const long double exact = truth(input, i);
    if (input.config.method == CombineMethod::median) {
      ASSERT_TRUE(ours[i] == static_cast<float>(exact) || (std::isnan(ours[i]) && std::isnan(exact))) << "pixel " << i;
    } else if (std::fabs(exact) > std::numeric_limits<float>::max()) {
      ASSERT_TRUE(std::isnan(ours[i])) << "pixel " << i;
    } else {
      expect_near(ours[i], exact, scale_at(input, i), ("pixel " + std::to_string(i)).c_str());
    }
  }
}

TYPED_TEST(Combine, IsTheDefinitionOnImagesOfAnySize) {
  for (const Shape shape : {Shape{1, 1}, Shape{1, 37}, Shape{37, 1}, Shape{31, 33}, Shape{32, 32}, Shape{259, 103}}) {
    for (const CombineMethod chosen : all_methods) {
      for (const double masked_share : {0.0, 0.02, 0.5}) {
        const Case input = random_case(chosen, shape, 3, masked_share, 7);
        const Combined ours = this->combined(input);
        expect_true(input, ours.pixels);
        if (::testing::Test::HasFatalFailure()) {
          FAIL() << "method " << static_cast<int>(chosen) << ", " << shape.width << " x " << shape.height << ", "
                 << masked_share;
        }
      }
    }
  }
}

TYPED_TEST(Combine, IsTheDefinitionForAnyNumberOfPlanes) {
  for (const CombineMethod chosen : all_methods) {
    if (chosen == CombineMethod::luminosity) continue;
    for (const std::size_t planes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 18, 31, 32, 33, 34, 63, 64}) {
      const Case input = random_case(chosen, {67, 31}, planes, 0.3, 11);
      expect_true(input, this->combined(input).pixels);
      if (::testing::Test::HasFatalFailure()) FAIL() << "method " << static_cast<int>(chosen) << ", " << planes;
    }
  }
}

/// Enough pixels for several blocks, threads and pieces; the reference is one thread of the host.
TYPED_TEST(Combine, GivesTheSameBytesWhereverItRuns) {
  for (const CombineMethod chosen : all_methods) {
    for (const std::size_t planes : {3, 8, 64}) {
      if (chosen == CombineMethod::luminosity && planes != 3) continue;
      if (testing::sanitized && planes == 64) continue;
      const Case input = random_case(chosen, planes == 3 ? Shape{1021, 517} : Shape{401, 173}, planes, 0.05, 3);
      const Combined ours = this->combined(input);
      const Combined one_thread = combine(Backend<Cpu>(), Cpu{1}, input);
      expect_same_bytes(ours.pixels, one_thread.pixels);
      EXPECT_EQ(ours.masked.infinite, one_thread.masked.infinite);
    }
  }
}

TYPED_TEST(Combine, WeighsPlanes) {
  EXPECT_EQ(this->pixel(weighted({2, 3, -4}), {1, 10, 100}), -368.0F);
  EXPECT_EQ(this->pixel(method(CombineMethod::luminosity), {100, 1000, 10000}), 21.0F + 710.0F + 700.0F);
  EXPECT_EQ(this->pixel(method(CombineMethod::mean), {1, 2, 6}), 3.0F);
  EXPECT_EQ(this->pixel(weighted({0.5}), {7}), 3.5F);
}

TYPED_TEST(Combine, RoundsOnce) {
  // 2^24 + 1 + 1 in float is 2^24.
  EXPECT_EQ(this->pixel(weighted({1, 1, 1}), {16777216, 1, 1}), 16777218.0F);
  // The mean of 1 and the next float is half-way: to the even one. Their sum in float is rounded before it is halved.
  EXPECT_EQ(this->pixel(method(CombineMethod::median), {1, std::nextafter(1.0F, 2.0F)}), 1.0F);
  EXPECT_EQ(this->pixel(method(CombineMethod::median), {3e38F, 3.2e38F}), 3.1e38F);  // their sum is beyond float
  EXPECT_EQ(this->pixel(method(CombineMethod::median), {1e-45F, 4e-45F}), 3e-45F);   // 1 and 3 times the smallest
}

TYPED_TEST(Combine, LeavesMaskedPlanesOutOfTheWeights) {
  EXPECT_EQ(this->pixel(weighted({2, 3, 5}), {1, masked, 3}), 17.0F * 10 / 7);
  EXPECT_EQ(this->pixel(weighted({2, 0, 5}), {1, masked, 3}), 17.0F);
  EXPECT_EQ(this->pixel(method(CombineMethod::mean), {masked, 2, 6}), 4.0F);
  EXPECT_EQ(this->pixel(method(CombineMethod::median), {9, masked, 2}), 5.5F);
  EXPECT_EQ(this->pixel(method(CombineMethod::median), {9, masked, masked}), 9.0F);
  const std::vector<Background> skies = {sky_of(10, 1), sky_of(20, 2), sky_of(30, 0.5)};
  EXPECT_EQ(this->pixel(method(CombineMethod::inverse_variance), {12, 30, masked}, skies), (2 + 10 / 4.0F) / 1.25F);
  EXPECT_EQ(this->pixel(method(CombineMethod::chi_square), {12, 30, masked}, skies), (4 + 25) * 1.5F);
}

TYPED_TEST(Combine, MasksWhatNothingIsKnownOf) {
  const std::vector<Background> skies(3, sky_of(1, 2));
  for (const CombineMethod chosen : all_methods) {
    CombineConfig config = method(chosen);
    config.weights = {1, 1, 1};
    EXPECT_TRUE(std::isnan(this->pixel(config, {masked, masked, masked}, skies))) << static_cast<int>(chosen);
  }
  EXPECT_TRUE(std::isnan(this->pixel(weighted({0, 1, 0}), {5, masked, 5}))) << "the others weigh nothing";
}

TYPED_TEST(Combine, NeedsAllPlanesIfAWeightIsNegative) {
  EXPECT_EQ(this->pixel(weighted({1, -1}), {5, 3}), 2.0F);
  EXPECT_TRUE(std::isnan(this->pixel(weighted({1, -1}), {5, masked})));
  EXPECT_TRUE(std::isnan(this->pixel(weighted({2, -1, 1}), {5, masked, 1})));
}

TYPED_TEST(Combine, LeavesOutPlanesWithoutNoise) {
  const std::vector<Background> skies = {sky_of(10, 0), sky_of(20, 2), Background{}};
  EXPECT_EQ(this->pixel(method(CombineMethod::inverse_variance), {1e9F, 23, 1e9F}, skies), 3.0F);
  EXPECT_EQ(this->pixel(method(CombineMethod::chi_square), {1e9F, 26, masked}, skies), 9.0F);
  EXPECT_TRUE(std::isnan(this->pixel(method(CombineMethod::chi_square), {1, masked, 1}, skies)));
}

/// Where no plane takes part there is no result, and that is counted.
TYPED_TEST(Combine, MasksAllIfNoPlaneHasNoise) {
  for (const CombineMethod chosen : {CombineMethod::inverse_variance, CombineMethod::chi_square}) {
    const Case input{method(chosen), {3, 1}, {{1, 2, 3}, {4, 5, 6}}, {sky_of(1, 0), Background{}}};
    const Combined ours = this->combined(input);
    for (const float value : ours.pixels) EXPECT_TRUE(std::isnan(value));
    EXPECT_EQ(ours.masked.total(), 3);
  }
}

TYPED_TEST(Combine, TakesTheSkiesThatWereEstimated) {
  const Case input = random_case(CombineMethod::inverse_variance, {300, 200}, 3, 0.01, 5);
  std::vector<Pixels<TypeParam>> planes;
  std::vector<Value<Background, TypeParam>> skies;
  for (std::size_t k = 0; k < 3; ++k) {
    Pixels<TypeParam>& plane = planes.emplace_back();
    const Plane nothing(input.planes[k].size(), masked);
    plane.image = this->image(input.shape, k == 1 ? nothing : input.planes[k]);
    plane.masked = this->backend().put_value(MaskCounts{});
    skies.push_back(estimate_background(plane.image, BackgroundConfig{}, this->where()));
  }
  Case known = input;
  for (std::size_t k = 0; k < 3; ++k) known.skies[k] = fetch(skies[k], this->where());
  ASSERT_EQ(known.skies[1].all.count, 0);
  known.planes[1].assign(known.planes[1].size(), masked);
  Pixels<TypeParam> out(input.shape, this->where());
  combine_planes(planes, skies, input.config, out, this->where());
  expect_true(known, this->backend().get(out.image.pixels));
}

TYPED_TEST(Combine, CountsWhatIsMasked) {
  std::vector<Pixels<TypeParam>> planes;
  for (std::int64_t k = 1; k <= 3; ++k) {
    Pixels<TypeParam>& plane = planes.emplace_back();
    plane.image = this->image({2, 1}, Plane{3e38F, static_cast<float>(k)});
    plane.masked = this->backend().put_value(MaskCounts{k, 10 * k, 100 * k});
  }
  Pixels<TypeParam> out({2, 1}, this->where());
  combine_planes(planes, {}, weighted({1, 1, 1}), out, this->where());
  const MaskCounts counts = fetch(out.masked, this->where());
  EXPECT_EQ(counts.nan, 6);
  EXPECT_EQ(counts.infinite, 60 + 1);  // 9e38
  EXPECT_EQ(counts.blank, 600);
  const Plane pixels = this->backend().get(out.image.pixels);
  EXPECT_TRUE(std::isnan(pixels[0]));
  EXPECT_EQ(pixels[1], 6.0F);

  combine_planes(planes, {}, method(CombineMethod::median), out, this->where());
  EXPECT_EQ(fetch(out.masked, this->where()).total(), 666);
}

TYPED_TEST(Combine, MasksAndCountsWhatIsBeyondFloat) {
  const Case all{weighted({1e300, -1e300, 2}), {2, 1}, {{3e38F, 1}, {3e38F, 1}, {1, 1}}, {}};
  const Combined ours = this->combined(all);  // inf - inf in double
  EXPECT_TRUE(std::isnan(ours.pixels[0]));
  EXPECT_EQ(ours.pixels[1], 2.0F);
  EXPECT_EQ(ours.masked.infinite, 1);

  const Combined scaled = this->combined({weighted({1, 1}), {1, 1}, {{2e38F}, {masked}}, {}});
  EXPECT_TRUE(std::isnan(scaled.pixels[0]));
  EXPECT_EQ(scaled.masked.infinite, 1);
  EXPECT_EQ(scaled.masked.nan, 1);
}

TYPED_TEST(Combine, TakesImagesWithoutPixels) {
  for (const CombineMethod chosen : all_methods) {
    const Combined nothing = this->combined(random_case(chosen, {0, 0}, 3, 0, 1));
    EXPECT_TRUE(nothing.pixels.empty());
    EXPECT_EQ(nothing.masked.total(), 0);
  }
}

TYPED_TEST(Combine, LeavesTheNoiseAlone) {
  Pixels<TypeParam> plane;
  plane.image = this->image({2, 1}, Plane{1, 2});
  plane.masked = this->backend().put_value(MaskCounts{});
  Pixels<TypeParam> out({2, 1}, this->where());
  out.noise = this->image({2, 1}, Plane{5, 6});
  combine_planes({&plane, 1}, {}, method(CombineMethod::mean), out, this->where());
  EXPECT_EQ(this->backend().get(out.noise.pixels), (Plane{5, 6}));
}

std::string refusal_of(std::size_t planes, const CombineConfig& config) {
  try {
    check_plane_count(planes, config);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    return error.what();
  }
  return "";
}

TEST(CheckPlaneCount, SaysWhatDoesNotFit) {
  using ::testing::HasSubstr;
  EXPECT_THAT(refusal_of(4, method(CombineMethod::luminosity)), HasSubstr("there are 4 planes"));
  EXPECT_THAT(refusal_of(1, method(CombineMethod::luminosity)), HasSubstr("there is 1 plane"));
  EXPECT_THAT(refusal_of(3, weighted({1, 2})), HasSubstr("combine.weights has 2 values, but there are 3 planes"));
  EXPECT_THAT(refusal_of(0, method(CombineMethod::mean)), HasSubstr("1 to 64"));
  EXPECT_THAT(refusal_of(65, method(CombineMethod::median)), HasSubstr("there are 65 planes"));
  EXPECT_EQ(refusal_of(64, method(CombineMethod::median)), "");
  EXPECT_EQ(refusal_of(1, method(CombineMethod::chi_square)), "");
  EXPECT_EQ(refusal_of(3, method(CombineMethod::luminosity)), "");
  EXPECT_EQ(refusal_of(2, weighted({1, 2})), "");
}

}  // namespace
}  // namespace srcextract
