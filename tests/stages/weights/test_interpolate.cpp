#include "stages/weights/interpolate.hpp"

#include <cmath>

#include "stages/weights/weights.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/gaps.hpp"
#include "tests/support/same_bytes.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::nan;
using testing::StageTest;
using Floats = std::vector<float>;

struct Filled {
  Floats image, variance;
};

WeightsConfig rules(Interpolate what, std::int64_t columns, std::int64_t rows) {
  WeightsConfig config;
  config.type = WeightType::variance;
  config.interpolate = what;
  config.interpolate_columns = columns;
  config.interpolate_rows = rows;
  return config;
}

template <class Where>
class InterpolateStage : public StageTest<Where> {
 protected:
  Filled fill(const Shape& shape, const Floats& image, const Floats& variance, const WeightsConfig& config) {
    const Interpolated<Where> filled =
        interpolate_bad(this->image(shape, image), this->image(shape, variance), config, this->where());
    return {this->backend().get(filled.image.pixels), this->backend().get(filled.variance.pixels)};
  }
};
TYPED_TEST_SUITE(InterpolateStage, Backends);

TYPED_TEST(InterpolateStage, ARowIsFilledFromItsGoodPixels) {
  const Floats image{9, 1, 9, 9, 9, 2, 9}, variance{nan, 4, nan, nan, nan, 5, nan};
  const Filled all = this->fill({7, 1}, image, variance, rules(Interpolate::all, 2, 16));
  EXPECT_TRUE(testing::same_bytes(all.image, {nan, 1, 1, 1, nan, 2, 2}));
  EXPECT_TRUE(testing::same_bytes(all.variance, {nan, 4, 4, 4, nan, 5, 5}));
  const Filled own = this->fill({7, 1}, image, variance, rules(Interpolate::variance, 2, 16));
  EXPECT_TRUE(testing::same_bytes(own.image, {nan, 1, 9, 9, nan, 2, 9}));
  EXPECT_TRUE(testing::same_bytes(own.variance, all.variance));
}

TYPED_TEST(InterpolateStage, AColumnIsFilledFromTheRowBefore) {
  const Floats image{1, 9, 9, 9, 2, 9}, variance{4, nan, nan, nan, 5, nan};
  const Filled all = this->fill({1, 6}, image, variance, rules(Interpolate::all, 16, 2));
  EXPECT_TRUE(testing::same_bytes(all.image, {1, 1, 1, nan, 2, 2}));
  EXPECT_TRUE(testing::same_bytes(all.variance, {4, 4, 4, nan, 5, 5}));
  const Filled none = this->fill({1, 6}, image, variance, rules(Interpolate::all, 0, 0));
  EXPECT_TRUE(testing::same_bytes(none.image, {1, nan, nan, nan, 2, nan}));
}

TYPED_TEST(InterpolateStage, TheRowComesFirstAndIsPassedOnUpTheColumn) {
  const Floats image{1, 2, 3, 4, 9, 9, 9, 9, 9};
  const Floats variance{1, 1, 1, 1, nan, nan, nan, nan, nan};
  const Filled all = this->fill({3, 3}, image, variance, rules(Interpolate::all, 1, 16));
  EXPECT_TRUE(testing::same_bytes(all.image, {1, 2, 3, 4, 4, 3, 4, 4, 3}));
}

TYPED_TEST(InterpolateStage, WithoutValuesAPixelThatHasNoneStaysMasked) {
  const Floats image{1, nan, 9}, variance{1, nan, nan};
  const Filled own = this->fill({3, 1}, image, variance, rules(Interpolate::variance, 16, 16));
  EXPECT_TRUE(testing::same_bytes(own.image, {1, nan, 9}));
  EXPECT_TRUE(testing::same_bytes(own.variance, {1, nan, 1}));
}

/// As SExtractor is described, pixel after pixel, with a counter along the row and one for each column.
Filled slowly(const Shape& shape, Floats image, Floats variance, std::int64_t columns, std::int64_t rows) {
  std::vector<std::int64_t> left_of_column(static_cast<std::size_t>(shape.width), 0);
  const Floats given = variance;
  std::int64_t left_of_row = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t x = i % left_of_column.size();
    if (x == 0) left_of_row = 0;
    if (!std::isnan(given[i])) {
      left_of_row = columns;
      left_of_column[x] = rows;
      continue;
    }
    std::size_t from = i;
    if (left_of_row > 0) {
      --left_of_row;
      from = i - 1;
    } else if (left_of_column[x] > 0) {
      --left_of_column[x];
      from = i - left_of_column.size();
    }
    image[i] = from == i ? nan : image[from];
    variance[i] = from == i ? nan : variance[from];
  }
  return {image, variance};
}

TYPED_TEST(InterpolateStage, EveryGapIsFilledAsPixelAfterPixel) {
  std::size_t bad = 0, filled = 0;
  for (const Shape& shape : testing::gap_shapes) {
    for (int kind = 0; kind < testing::kinds_of_gaps; ++kind) {
      for (const auto& [columns, rows] : {std::pair{16, 16}, {1, 1}, {0, 5}, {5, 0}, {1000, 1000}}) {
        const testing::Gaps made = testing::gaps(shape, kind, static_cast<unsigned>(shape.count()) + 7);
        const Filled slow = slowly(shape, made.image.pixels, made.variances, columns, rows);
        const Filled all = this->fill(shape, made.image.pixels, made.variances, rules(Interpolate::all, columns, rows));
        const std::string name = made.image.name + ", " + std::to_string(shape.width) + " wide";
        EXPECT_TRUE(testing::same_bytes(all.image, slow.image)) << name;
        EXPECT_TRUE(testing::same_bytes(all.variance, slow.variance)) << name;
        const Filled own =
            this->fill(shape, made.image.pixels, made.variances, rules(Interpolate::variance, columns, rows));
        for (std::size_t i = 0; i < own.image.size(); ++i) {
          const bool masked = std::isnan(made.image.pixels[i]) || std::isnan(slow.variance[i]);
          bad += std::isnan(made.variances[i]) ? 1U : 0U;
          filled += std::isnan(made.variances[i]) && !masked ? 1U : 0U;
          ASSERT_TRUE(masked ? std::isnan(own.image[i]) && std::isnan(own.variance[i])
                             : own.image[i] == made.image.pixels[i] && own.variance[i] == slow.variance[i])
              << name << ": " << i;
        }
      }
    }
  }
  EXPECT_GT(filled, 100'000U);
  EXPECT_GT(bad, filled + 100'000U);
}

TYPED_TEST(InterpolateStage, BeyondTheThresholdAPixelTakesOverOrStaysAsItIs) {
  const Floats image{1, 6, 7, 8, nan}, variance{4, 20, 21, 22, nan};
  WeightsConfig config = rules(Interpolate::all, 2, 0);
  config.threshold = 20;
  config.beyond = BeyondThreshold::detect;
  const Filled all = this->fill({5, 1}, image, variance, config);
  EXPECT_TRUE(testing::same_bytes(all.image, {1, 1, 1, 8, nan}));
  EXPECT_TRUE(testing::same_bytes(all.variance, {4, 4, 4, 22, nan}));
  config.interpolate = Interpolate::variance;
  const Filled own = this->fill({5, 1}, image, variance, config);
  EXPECT_TRUE(testing::same_bytes(own.image, image));
  EXPECT_TRUE(testing::same_bytes(own.variance, all.variance));
  // Variances that are to be doubled are beyond it from 10 on; those that are to be halved, from 40 on.
  const auto scale = this->backend().put_value(std::sqrt(0.5));
  const Interpolated<TypeParam> halved =
      interpolate_bad(this->image({5, 1}, image), this->image({5, 1}, variance), config, this->where(), &scale);
  EXPECT_TRUE(testing::same_bytes(this->backend().get(halved.variance.pixels), variance));
}

TYPED_TEST(InterpolateStage, ValuesAreKeptOnlyWhereVariancesAreInterpolated) {
  for (const Interpolate what : {Interpolate::none, Interpolate::variance, Interpolate::all}) {
    Pixels<TypeParam> pixels;
    pixels.image = this->image({3, 1}, Floats{1, 2, nan});
    pixels.masked = this->backend().put_value(MaskCounts{.nan = 1});
    apply_weights(this->image({3, 1}, Floats{4, -1, 5}), rules(what, 16, 16), pixels, this->where());
    EXPECT_TRUE(testing::same_bytes(this->backend().get(pixels.image.pixels), {1, nan, nan}));
    EXPECT_TRUE(testing::same_bytes(this->backend().get(pixels.variance.pixels), {4, nan, nan}));
    const Floats kept = what == Interpolate::variance ? Floats{1, 2, nan} : Floats{};
    EXPECT_TRUE(testing::same_bytes(this->backend().get(pixels.kept.pixels), kept));
    EXPECT_EQ(fetch(pixels.masked, this->where()).weight, 1);
  }
}

}  // namespace
}  // namespace srcextract
