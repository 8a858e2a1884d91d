#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/stages/photometry/given_sources.hpp"

namespace srcextract {
namespace {

using testing::Given;
using testing::photometry_of;
using testing::side;

template <class Where>
class AnnulusStage : public testing::StageTest<Where> {
 protected:
  std::vector<AnnulusSky> measure(const std::vector<float>& pixels, const std::vector<Given>& sources, double inner,
                                  double outer, const std::vector<Run>& of_none = {},
                                  MaskNeighbours mask = MaskNeighbours::correct) {
    Settings config;
    config.output.columns = {"ANNULUS_SKY"};
    config.measurement.annulus = {inner, outer};
    config.measurement.mask = mask;
    const auto measured = photometry_of(this->backend(), pixels, sources, config, of_none);
    return this->backend().get(measured.template of<AnnulusFamily>().rows, std::ssize(sources));
  }
};
TYPED_TEST_SUITE(AnnulusStage, testing::Backends);

/// A source of one pixel that is round.
Given at(std::int32_t x, std::int32_t y) {
  return {{y, x, x + 1}, static_cast<double>(x), static_cast<double>(y), 1, 1, 0};
}

/// The same of values that were sorted.
AnnulusSky clipped(std::vector<float> values) {
  std::ranges::sort(values);
  AnnulusSky result{NAN, NAN, 0, 0};
  for (int clip = 0; clip <= 5 && !values.empty() && std::ssize(values) != result.pixels; ++clip) {
    const std::size_t n = values.size();
    long double sum = 0, squares = 0;
    for (const float value : values) sum += value;
    for (const float value : values) squares += (value - sum / n) * (value - sum / n);
    const double median = (static_cast<double>(values[(n - 1) / 2]) + values[n / 2]) / 2;
    result = {median, static_cast<double>(std::sqrt(squares / n)), static_cast<std::int32_t>(n), 0};
    if (clip < 5) std::erase_if(values, [&](float value) { return std::fabs(value - median) > 3 * result.rms; });
  }
  return result;
}

TYPED_TEST(AnnulusStage, IsTheClippedMedianOfWhatIsSorted) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (int turn = 0; turn < 12; ++turn) {
    std::vector<float> pixels(side * side);
    for (float& pixel : pixels) {
      const float noise = normal(random);
      pixel = turn % 4 == 0   ? noise * noise * noise * noise * noise  // a tail of which every clip leaves some
              : turn % 4 == 1 ? std::round(noise)                      // ties, 0 and -0
              : turn % 4 == 2 ? 1e30F * noise
                              : 1000 + 1e-38F * noise;
      if (noise > 2.5F) pixel = std::numeric_limits<float>::quiet_NaN();
      if (turn % 3 == 0 && noise > 2.4F && noise < 2.5F)
        pixel = 3e38F;  // beside which the rest is nothing, until it is clipped
    }
    const double inner = turn % 5, outer = inner + 1.5 + 4 * turn;
    const std::vector<Given> sources = {at(2, 3), at(50, 50), at(60, 55)};
    const auto told = this->measure(pixels, sources, inner, outer);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::vector<float> values;
      for (std::int32_t y = 0; y < side; ++y) {
        for (std::int32_t x = 0; x < side; ++x) {
          const double far = std::hypot(x - sources[i].x, y - sources[i].y);
          const float pixel = pixels[static_cast<std::size_t>(y * side + x)];
          const bool of_a_source =
              std::ranges::any_of(sources, [&](const Given& one) { return one.run.y == y && one.run.begin == x; });
          if (far >= inner && far < outer && !of_a_source && !std::isnan(pixel)) values.push_back(pixel);
        }
      }
      const AnnulusSky want = clipped(values);
      ASSERT_GT(values.size(), 1U);
      EXPECT_EQ(told[i].pixels, want.pixels) << turn << ' ' << i;
      EXPECT_EQ(told[i].sky, want.sky) << turn << ' ' << i;
      EXPECT_NEAR(told[i].rms, want.rms, 1e-9 * want.rms) << turn << ' ' << i;
      EXPECT_EQ(told[i].flags, 0);
    }
  }
}

/// Neither neighbours nor the source itself are sky, whatever apertures take them for; noise above the threshold is.
TYPED_TEST(AnnulusStage, PixelsOfSourcesAreLeftOutAndThoseOfNoneAreNot) {
  std::vector<float> pixels(side * side, 1);
  for (std::int32_t x = 45; x < 60; ++x) pixels[static_cast<std::size_t>(50 * side + x)] = 9;
  const Given whole{{50, 45, 55}, 50, 50, 4, 4, 0}, neighbour{{50, 55, 60}, 57, 50, 4, 4, 0};
  const std::vector<Run> noise = {{40, 50, 51}};
  for (const MaskNeighbours mask : {MaskNeighbours::correct, MaskNeighbours::none}) {
    const AnnulusSky sky = this->measure(pixels, {whole, neighbour}, 0, 10.5, noise, mask).at(0);
    EXPECT_EQ(sky.sky, 1);
    EXPECT_EQ(sky.rms, 0);
    EXPECT_EQ(sky.pixels, 349 - 15);  // 349 pixels within 10.5, and all of the source and its neighbour
  }
}

TYPED_TEST(AnnulusStage, WithoutAPixelThereIsNoSky) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> bad(side * side, nan), flat(side * side, 3);
  for (const auto& [pixels, source] :
       {std::pair(bad, at(50, 50)), std::pair(flat, Given{{50, 48, 53}, 500, 50, 2, 2, 0})}) {
    const AnnulusSky sky = this->measure(pixels, {source}, 10, 20).at(0);
    EXPECT_TRUE(std::isnan(sky.sky) && std::isnan(sky.rms));
    EXPECT_EQ(sky.pixels, 0);
  }
  EXPECT_EQ(this->measure(flat, {at(50, 50)}, 0.2, 0.9).at(0).pixels, 0);
  EXPECT_EQ(this->measure(flat, {at(50, 50)}, 0.2, 1.1).at(0).sky, 3);
}

}  // namespace
}  // namespace srcextract
