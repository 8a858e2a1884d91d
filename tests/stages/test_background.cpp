#include "stages/background.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

Statistics describe(std::vector<double> values) {
  std::sort(values.begin(), values.end());
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
  b.all = b.clipped = describe(kept);
  while (max_iterations == 0 || b.iterations < max_iterations) {
    std::vector<double> next;
    for (const double v : kept) {
      if (v > b.clipped.median - kappa * b.clipped.sigma && v < b.clipped.median + kappa * b.clipped.sigma) {
        next.push_back(v);
      }
    }
    if (next.empty() || next.size() == kept.size()) break;
    kept = next;
    b.clipped = describe(kept);
    ++b.iterations;
  }
  return b;
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
    return estimate_background(this->image(field.shape, field.pixels), config, this->where());
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
    for (const double kappa : {2.0, 3.0}) {
      const Background got = this->estimate(field, {.kappa = kappa});
      const Background want = slow_clip(field.pixels, kappa, 0);
      expect_equal(got.all, want.all, field.name + ", all");
      expect_equal(got.clipped, want.clipped, field.name + ", clipped");
      EXPECT_EQ(got.iterations, want.iterations) << field.name;
      EXPECT_TRUE(got.converged) << field.name;
    }
  }
}

TYPED_TEST(BackgroundTest, CountsPixelsThatAreZero) {
  EXPECT_EQ(this->estimate({"padded", {4, 2}, {0, 0, 1e-30F, -1e-30F, 5, 0, -3, 0}}, {}).zeros, 4);
  EXPECT_EQ(this->estimate({"not padded", {3, 1}, {1, 2, 3}}, {}).zeros, 0);
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

TYPED_TEST(BackgroundTest, RefusesAnImageWithoutAPixel) {
  const float masked = std::numeric_limits<float>::quiet_NaN();
  for (const Field& field : {Field{"masked", {3, 2}, std::vector<float>(6, masked)}, Field{"empty", {0, 0}, {}}}) {
    try {
      this->estimate(field, {});
      FAIL() << field.name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_NE(std::string(error.what()).find("every pixel is masked"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace srcextract
