#include "stages/sky/background.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "stages/sky/sky_sample.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

Statistics describe(std::vector<double> values) {
  if (!std::is_sorted(values.begin(), values.end())) std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  Statistics s;
  s.count = static_cast<std::int64_t>(n);
  s.median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  long double sum = 0;
  for (const double v : values) sum += v;
  const long double mean = sum / static_cast<long double>(n);
  long double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  s.mean = static_cast<double>(mean);
  s.sigma = static_cast<double>(std::sqrt(squares / static_cast<long double>(n)));
  s.min = static_cast<float>(values.front());
  s.max = static_cast<float>(values.back());
  return s;
}

/// The lesson's loop as it stands there: compress, and again, until nothing goes.
Background slow_clip(const std::vector<float>& pixels, double kappa, std::int64_t max_iterations) {
  std::vector<double> kept;
  for (const float p : pixels) {
    if (!std::isnan(p)) kept.push_back(p);
  }
  Background b;
  std::sort(kept.begin(), kept.end());
  b.all = b.clipped = describe(kept);
  while (max_iterations == 0 || b.iterations < max_iterations) {
    std::vector<double> next;
    for (const double v : kept) {
      if (v > b.clipped.median - kappa * b.clipped.sigma && v < b.clipped.median + kappa * b.clipped.sigma) {
        next.push_back(v);
      }
    }
    b.converged = next.size() == kept.size();
    if (b.converged || next.empty()) break;
    kept = next;
    b.clipped = describe(kept);
    ++b.iterations;
  }
  b.converged = b.converged || b.clipped.sigma == 0;
  return b;
}

using Draw = std::function<float()>;

Field drawn(const std::string& name, Shape shape, const Draw& draw) {
  Field field{name, shape, std::vector<float>(static_cast<std::size_t>(shape.count()))};
  std::generate(field.pixels.begin(), field.pixels.end(), draw);
  return field;
}

/// Skies on which a guess from a sample, or the precision of the sums, is at its worst. Odd in size.
std::vector<Field> hard_skies() {
  constexpr Shape shape{211, 203};
  std::mt19937 random(17);
  std::uniform_real_distribution<float> unit(0, 1);
  std::normal_distribution<float> normal;
  std::cauchy_distribution<float> cauchy;
  std::vector<Field> fields;
  const auto add = [&](const std::string& name, const Draw& draw) { fields.push_back(drawn(name, shape, draw)); };
  for (const float share : {0.05F, 0.3F, 0.6F}) {
    for (const float mean : {0.0F, 1000.0F}) {
      const std::string name = std::to_string(share) + " zeros on a sky of " + std::to_string(mean);
      add(name, [&] { return unit(random) < share ? 0.0F : mean + normal(random); });
      add(name + ", of either sign",
          [&] { return unit(random) < share ? std::copysign(0.0F, normal(random)) : mean + normal(random); });
    }
  }
  for (const float share : {0.001F, 0.1F, 0.25F, 0.49F, 0.5F, 0.51F, 0.75F, 0.9F, 0.999F}) {
    add("two populations, " + std::to_string(share),
        [&] { return normal(random) + (unit(random) < share ? 1e6F : 0.0F); });
  }
  add("two populations of unlike widths",
      [&] { return unit(random) < 0.3F ? 1e6F + normal(random) : 1e-6F * normal(random); });
  add("Cauchy noise", [&] { return cauchy(random); });
  add("Cauchy noise on a sky of 1000", [&] { return 1000 + cauchy(random); });
  add("8 bits", [&] { return std::clamp(std::round(100 + 3 * normal(random)), 0.0F, 255.0F); });
  add("8 bits, all of them", [&] { return std::floor(256 * unit(random)); });
  add("3 levels", [&] { return std::floor(3 * unit(random)); });
  add("3 levels, one rare", [&] { return unit(random) < 1e-3F ? 7.0F : std::floor(2 * unit(random)); });
  add("uniform noise", [&] { return unit(random); });
  add("uniform noise on a sky of 1e6", [&] { return 1e6F + 100 * unit(random); });
  add("near the largest float", [&] { return std::copysign(3.4e38F, normal(random)) * unit(random); });
  add("at the largest floats", [&] { return std::copysign(std::numeric_limits<float>::max(), normal(random)); });
  add("one step below the largest float", [&] {
    return unit(random) < 0.5F ? std::numeric_limits<float>::max()
                               : std::nextafter(std::numeric_limits<float>::max(), 0.0F);
  });
  add("denormal", [&] { return 1e-43F * normal(random); });
  add("denormal under a bright source", [&] { return unit(random) < 0.01F ? 3e38F : 1e-43F * normal(random); });
  float step = 0;
  add("ramp", [&] { return step += 0.25F; });
  step = -0x1p20F;
  add("ramp through zero", [&] { return step += 100; });
  add("half masked", [&] { return unit(random) < 0.5F ? std::numeric_limits<float>::quiet_NaN() : normal(random); });
  return fields;
}

/// An image in which every pixel that a sample holds has one value, and the others are drawn.
Field unsampled(const std::string& name, float sampled, const Draw& draw) {
  Field field = drawn(name, {301, 207}, draw);
  const std::int64_t count = field.shape.count();
  const int samples = sample_size(count);
  for (int i = 0; i < samples; ++i)
    field.pixels[static_cast<std::size_t>(sample_position(i, samples, count))] = sampled;
  return field;
}

void expect_equal(const Statistics& got, const Statistics& want, const std::string& what) {
  EXPECT_EQ(got.count, want.count) << what;
  EXPECT_EQ(got.median, want.median) << what;
  EXPECT_EQ(got.min, want.min) << what;
  EXPECT_EQ(got.max, want.max) << what;
  EXPECT_NEAR(got.sigma, want.sigma, 1e-12 * want.sigma) << what;
  EXPECT_NEAR(got.mean, want.mean, 1e-12 * (std::abs(want.mean) + want.sigma)) << what;
}

template <class Where>
class BackgroundTest : public StageTest<Where> {
 protected:
  Background estimate(const Field& field, const BackgroundConfig& config) {
    return fetch(estimate_background(this->image(field.shape, field.pixels), config, this->where()), this->where());
  }
  void expect_slow_result(const Field& field, const BackgroundConfig& config) {
    const Background got = this->estimate(field, config);
    const Background want = slow_clip(field.pixels, config.kappa, config.max_iterations);
    const std::string what = field.name + ", " + std::to_string(field.shape.count()) + " pixels, kappa " +
                             std::to_string(config.kappa) + ", at most " + std::to_string(config.max_iterations);
    expect_equal(got.all, want.all, what + ", all");
    expect_equal(got.clipped, want.clipped, what + ", clipped");
    EXPECT_EQ(got.iterations, want.iterations) << what;
    EXPECT_EQ(got.converged, want.converged) << what;
  }
};
TYPED_TEST_SUITE(BackgroundTest, Backends);

TYPED_TEST(BackgroundTest, GivesKnownStatisticsOfAFewPixels) {
  // 2 4 4 4 5 5 7 9: the textbook example, mean 5, median 4.5, population standard deviation 2.
  const Background b = this->estimate({"textbook", {4, 2}, {9, 4, 5, 2, 4, 7, 4, 5}}, {.kappa = 100});
  EXPECT_EQ(b.all.count, 8);
  EXPECT_EQ(b.all.mean, 5);
  EXPECT_EQ(b.all.median, 4.5);
  EXPECT_EQ(b.all.sigma, 2);
  EXPECT_EQ(b.all.min, 2);
  EXPECT_EQ(b.all.max, 9);
  EXPECT_EQ(b.clipped, b.all);
  EXPECT_EQ(b.iterations, 0);
  EXPECT_TRUE(b.converged);
}

TYPED_TEST(BackgroundTest, EqualsTheCompressLoopOnEveryField) {
  auto fields = testing::hostile_fields();
  fields.push_back(testing::star_field({1030, 777}, 1000, 10, 1000, 3));
  for (const Field& field : fields) {
    for (const double kappa : {2.0, 3.0}) this->expect_slow_result(field, {.kappa = kappa});
  }
}

TYPED_TEST(BackgroundTest, EqualsTheCompressLoopOnHardSkiesForAnyKappa) {
  for (const Field& field : hard_skies()) {
    for (const double kappa : {0.5, 1.5, 2.0, 3.0, 10.0}) this->expect_slow_result(field, {.kappa = kappa});
    for (const std::int64_t cap : {1, 2, 3}) this->expect_slow_result(field, {.kappa = 1.5, .max_iterations = cap});
  }
}

TYPED_TEST(BackgroundTest, EqualsTheCompressLoopWhereTheSampleTellsNothing) {
  constexpr float masked = std::numeric_limits<float>::quiet_NaN();
  std::mt19937 random(23);
  std::normal_distribution<float> normal(1000, 10);
  std::int64_t i = 0;
  const auto sky = [&] { return normal(random); };
  for (const Field& field :
       {unsampled("sample masked", masked, sky),
        unsampled("sample masked, few others", masked, [&] { return ++i % 1999 == 0 ? normal(random) : masked; }),
        unsampled("sample masked, one other", masked, [&] { return ++i % 60000 == 0 ? 5.0F : masked; }),
        unsampled("sample constant", 990, sky), unsampled("sample zero", 0, sky),
        unsampled("sample far away", -1e6F, sky)}) {
    for (const double kappa : {1.5, 3.0}) this->expect_slow_result(field, {.kappa = kappa});
  }
}

TYPED_TEST(BackgroundTest, EqualsTheCompressLoopAtEverySize) {
  std::mt19937 random(29);
  std::normal_distribution<float> normal(100, 5);
  const auto sky = [&] { return random() % 100 == 0 ? 50 * normal(random) : normal(random); };
  for (const std::int64_t border : {32, 1024, 4096, 1 << 16, 1 << 18, 1 << 19}) {
    for (const std::int64_t size : {border - 1, border, border + 1}) {
      this->expect_slow_result(drawn("row", {size, 1}, sky), {.kappa = 3});
    }
  }
  this->expect_slow_result(drawn("column", {1, 5000}, sky), {.kappa = 3});
  this->expect_slow_result(drawn("large", {2051, 2057}, sky), {.kappa = 3});
}

/// Tails of tens of thousands of pixels, in several pieces, of which rounds look at few; and rounds that end in the
/// same places again.
TYPED_TEST(BackgroundTest, EqualsTheCompressLoopWhereTheTailIsLarge) {
  constexpr Shape shape{1031, testing::share(1030)};
  std::mt19937 random(31);
  std::uniform_real_distribution<float> unit(0, 1);
  std::normal_distribution<float> normal;
  std::exponential_distribution<float> exponential;
  const auto sky = [&] { return 1000 + 10 * normal(random); };
  for (const Field& field : {
           drawn("uniform", shape, [&] { return unit(random); }),
           drawn("a long tail on one side", shape, [&] { return sky() + 20 * exponential(random); }),
           drawn("a tail below", shape, [&] { return sky() - (unit(random) < 0.2F ? 60 * unit(random) : 0); }),
           drawn("8 bits", shape, [&] { return std::clamp(std::round(100 + 20 * normal(random)), 0.0F, 255.0F); }),
           drawn("some masked and some far away", shape,
                 [&] {
                   const float draw = unit(random);
                   if (draw < 0.1F) return std::numeric_limits<float>::quiet_NaN();
                   return draw < 0.15F ? std::copysign(1e30F, normal(random)) : sky();
                 }),
       }) {
    for (const double kappa : {1.5, 3.0}) this->expect_slow_result(field, {.kappa = kappa});
    this->expect_slow_result(field, {.kappa = 2, .max_iterations = 3});
  }
}

TEST(Background, IsTheSameWithAnyNumberOfThreads) {
  const Field field = testing::star_field({1500, testing::share(1400)}, 100, 5, 20, 9);
  for (const double kappa : {1.5, 3.0}) {
    const auto estimate = [&](int threads) {
      const Cpu where{threads};
      Image<float, Cpu> image(field.shape, where);
      std::copy(field.pixels.begin(), field.pixels.end(), image.pixels.begin());
      return *estimate_background(image, {.kappa = kappa}, where);
    };
    const Background one = estimate(1);
    EXPECT_GT(one.iterations, 2);
    for (const int threads : {2, 3, 16}) EXPECT_EQ(estimate(threads), one) << threads << " threads";
  }
}

/// Few pixels: the search for a median goes from the smallest to the largest of them, which are zeros of either sign.
TYPED_TEST(BackgroundTest, FindsTheMedianOfFewPixelsOfWhichManyAreZero) {
  const float masked = std::numeric_limits<float>::quiet_NaN();
  for (const float zero : {0.0F, -0.0F}) {
    for (const float other : {zero, -zero, 1.0F, -1.0F, masked}) {
      Field field{std::to_string(zero) + " and " + std::to_string(other), {7, 2}, std::vector<float>(14, zero)};
      field.pixels[3] = other;
      this->expect_slow_result(field, {.kappa = 3});
    }
  }
}

TYPED_TEST(BackgroundTest, TellsTheShareOfPixelsThatAreZero) {
  EXPECT_EQ(this->estimate({"padded", {4, 2}, {0, 0, 1e-30F, -1e-30F, 5, 0, -3, -0.0F}}, {}).zero_share, 0.5);
  EXPECT_EQ(this->estimate({"not padded", {3, 1}, {1, 2, 3}}, {}).zero_share, 0);
}

TYPED_TEST(BackgroundTest, StopsAtTheIterationCap) {
  const Field field = testing::star_field({300, 300}, 0, 1, 200, 9);
  const Background free = this->estimate(field, {.kappa = 3});
  ASSERT_GT(free.iterations, 2);
  const Background capped = this->estimate(field, {.kappa = 3, .max_iterations = 2});
  EXPECT_EQ(capped.iterations, 2);
  EXPECT_FALSE(capped.converged);
  expect_equal(capped.clipped, slow_clip(field.pixels, 3, 2).clipped, "capped");
}

TYPED_TEST(BackgroundTest, KeepsTheLastSetIfKappaWouldEmptyIt) {
  const Background b = this->estimate({"two values", {2, 1}, {-1, 1}}, {.kappa = 0.5});
  EXPECT_EQ(b.clipped.count, 2);
  EXPECT_FALSE(b.converged);
}

TYPED_TEST(BackgroundTest, CountsNoPixelWhereAllAreMasked) {
  const float masked = std::numeric_limits<float>::quiet_NaN();
  for (const Field& field : {Field{"masked", {3, 2}, std::vector<float>(6, masked)}, Field{"empty", {0, 0}, {}}}) {
    EXPECT_EQ(this->estimate(field, {}), Background{}) << field.name;
  }
}

}  // namespace
}  // namespace srcextract
