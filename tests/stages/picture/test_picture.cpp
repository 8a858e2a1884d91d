#include "stages/picture/picture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

constexpr float masked = std::numeric_limits<float>::quiet_NaN();
constexpr float largest = std::numeric_limits<float>::max();

/// The hostile fields, and those that a picture could break on.
std::vector<Field> fields() {
  std::vector<Field> fields = testing::hostile_fields();
  fields.push_back({"nothing", {0, 0}, {}});
  fields.push_back({"one masked pixel", {1, 1}, {masked}});
  fields.push_back({"all masked", {67, 31}, std::vector<float>(67 * 31, masked)});
  fields.push_back({"a column", {1, 3000}, testing::star_field({3000, 1}, 0, 1, 50, 3).pixels});
  fields.push_back({"zeros of both signs", {5, 1}, {0.0F, -0.0F, masked, -0.0F, 0.0F}});
  fields.push_back({"widest", {5, 1}, {-largest, -1e38F, 0, 1e38F, largest}});
  fields.push_back({"largest alone", {2, 1}, {largest, largest}});
  Field holes = testing::star_field({1031, 517}, 100, 3, 200, 9);
  holes.name = "holes";
  std::mt19937 random(4);
  for (float& pixel : holes.pixels) pixel = random() % 3 == 0 ? masked : pixel;
  std::fill_n(holes.pixels.begin() + 100'000, 9'000, masked);
  fields.push_back(holes);
  return fields;
}

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

QuicklookConfig config_with(Limits limits, Stretch stretch = Stretch::linear, std::int64_t bins = 256) {
  QuicklookConfig config;
  config.limits = limits;
  config.stretch = stretch;
  config.bins = bins;
  return config;
}

template <class Where>
class PictureTest : public StageTest<Where> {
 protected:
  Image<float, Where> put(const Field& field) const { return this->image(field.shape, field.pixels); }

  template <class T>
  std::vector<T> pixels_of(const Image<T, Where>& image) const {
    return this->backend().get(image.pixels);
  }
  DisplayRange range_of(const Field& field, const QuicklookConfig& config) const {
    return display_range(put(field), config, this->where());
  }
  std::vector<std::uint32_t> counts_of(const Field& field, const DisplayRange& range, std::int64_t bins) const {
    return this->backend().get(count_bins(put(field), range, bins, this->where()));
  }
  std::vector<std::uint8_t> table_of(Stretch stretch, std::int64_t bins,
                                     const std::vector<std::uint32_t>& counts = {}) const {
    return this->backend().get(grey_table(stretch, bins, this->backend().put(counts), this->where()));
  }
  std::vector<std::uint8_t> drawn(const Field& field, const DisplayRange& range,
                                  const std::vector<std::uint8_t>& table) const {
    return pixels_of(draw_grey(put(field), range, this->backend().put(table), this->where()));
  }
  /// The bin of every pixel, read off two pictures.
  std::vector<std::int64_t> bins_of(const Field& field, const DisplayRange& range, std::int64_t bins) const {
    std::vector<std::uint8_t> low;
    std::vector<std::uint8_t> high;
    for (std::int64_t bin = 0; bin < bins; ++bin) {
      low.push_back(static_cast<std::uint8_t>(bin % 256));
      high.push_back(static_cast<std::uint8_t>(bin / 256));
    }
    const auto drawn_low = drawn(field, range, low);
    const auto drawn_high = drawn(field, range, high);
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < drawn_low.size(); ++i) found.push_back(drawn_high[i] * 256 + drawn_low[i]);
    return found;
  }
};
TYPED_TEST_SUITE(PictureTest, Backends);

/// Of the square at column x, row y of the shrunk image: in the order of additions that the header promises.
float slow_mean(const Field& field, std::int64_t factor, std::int64_t x, std::int64_t y) {
  double sum = 0;
  double count = 0;
  for (std::int64_t column = x * factor; column < std::min((x + 1) * factor, field.shape.width); ++column) {
    double column_sum = 0;
    for (std::int64_t row = y * factor; row < std::min((y + 1) * factor, field.shape.height); ++row) {
      const float pixel = field.pixels[static_cast<std::size_t>(row * field.shape.width + column)];
      if (std::isnan(pixel)) continue;
      column_sum += static_cast<double>(pixel);
      count += 1;
    }
    sum += column_sum;
  }
  return count == 0 ? masked : static_cast<float>(sum / count);
}

TYPED_TEST(PictureTest, ShrinksToTheMeansOfWhatIsNotMasked) {
  for (const Field& field : fields()) {
    for (const std::int64_t factor : {2, 3, 4, 5, 7, 8, 31, 256, 300, 2000}) {
      const auto shrunk = shrink(this->put(field), factor, this->where());
      const auto [width, height] = shrunk.shape;
      ASSERT_EQ(width, (field.shape.width + factor - 1) / factor);
      ASSERT_EQ(height, (field.shape.height + factor - 1) / factor);
      const auto pixels = this->pixels_of(shrunk);
      for (std::int64_t i = 0; i < width * height; ++i) {
        const float truth = slow_mean(field, factor, i % width, i / width);
        ASSERT_EQ(bits(pixels[static_cast<std::size_t>(i)]), bits(truth))
            << field.name << " factor " << factor << " pixel " << i << ": " << pixels[static_cast<std::size_t>(i)]
            << ", not " << truth;
      }
    }
  }
}

TYPED_TEST(PictureTest, FactorOneCopiesEveryBit) {
  for (const Field& field : fields()) {
    const auto pixels = this->pixels_of(shrink(this->put(field), 1, this->where()));
    ASSERT_EQ(pixels.size(), field.pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) ASSERT_EQ(bits(pixels[i]), bits(field.pixels[i])) << field.name;
  }
}

TYPED_TEST(PictureTest, TheExtremesAreThoseOfWhatIsNotMasked) {
  for (const Field& field : fields()) {
    const DisplayRange range = this->range_of(field, config_with(Limits::minmax));
    std::vector<float> kept;
    std::ranges::copy_if(field.pixels, std::back_inserter(kept), [](float pixel) { return !std::isnan(pixel); });
    if (kept.empty()) {
      EXPECT_EQ(range, (DisplayRange{0, 1})) << field.name;
      continue;
    }
    const auto [low, high] = std::ranges::minmax(kept);
    EXPECT_LT(range.low, range.high) << field.name;
    EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high)) << field.name;
    if (low < high) {
      EXPECT_EQ(range, (DisplayRange{low, high})) << field.name;
    } else {
      EXPECT_TRUE(range.low == low || range.high == low) << field.name;
    }
  }
}

TYPED_TEST(PictureTest, ConfiguredLimitsAreTakenAsTheyAre) {
  QuicklookConfig config = config_with(Limits::values);
  const Field field{"any", {2, 1}, {5, 6}};
  config.low = -1.5;
  config.high = 1e4;
  EXPECT_EQ(this->range_of(field, config), (DisplayRange{-1.5F, 1e4F}));
  config.low = 1;  // no float between them
  config.high = 1 + 1e-12;
  EXPECT_EQ(this->range_of(field, config), (DisplayRange{1, std::nextafter(1.0F, 2.0F)}));
  config.low = -1e300;
  config.high = 1e300;
  EXPECT_EQ(this->range_of(field, config), (DisplayRange{-largest, largest}));
}

/// tests/truth/test_picture.py has those of astropy; here what can be worked out by hand.
TYPED_TEST(PictureTest, ZscaleOfARampIsAQuarterOfItsSlope) {
  Field ramp{"ramp", {101, 1}, {}};  // every pixel is in the sample; slope 2 a rank, median 100
  for (int i = 0; i <= 100; ++i) ramp.pixels.push_back(static_cast<float>(2 * i));
  EXPECT_EQ(this->range_of(ramp, config_with(Limits::zscale)), (DisplayRange{0, 200}));

  // 100 steps of 1 between outliers that are rejected: median 0, slope 1, thus -4 * 99 .. 4 * 102, within the extremes.
  Field outliers{"outliers", {201, 1}, {}};
  for (int i = -100; i <= 100; ++i) outliers.pixels.push_back(static_cast<float>(i));
  outliers.pixels.front() = -1e4F;
  outliers.pixels.back() = 1e4F;
  const DisplayRange range = this->range_of(outliers, config_with(Limits::zscale));
  EXPECT_NEAR(range.low, -4 * 99, 1e-3);
  EXPECT_NEAR(range.high, 4 * 101, 1e-3);
}

TYPED_TEST(PictureTest, ZscaleAlwaysLeavesARange) {
  for (const Field& field : fields()) {
    const DisplayRange range = this->range_of(field, config_with(Limits::zscale));
    EXPECT_LT(range.low, range.high) << field.name;
    EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high)) << field.name;
  }
  // Nine in ten pixels are equal: the line is flat, and the rest decides.
  Field flat{"flat", {10, 10}, std::vector<float>(100, 3)};
  for (std::size_t i = 0; i < 10; ++i) flat.pixels[10 * i] = static_cast<float>(i);
  EXPECT_EQ(this->range_of(flat, config_with(Limits::zscale)), (DisplayRange{0, 9}));
}

TYPED_TEST(PictureTest, PixelsFallIntoTheBinsOfTheirValues) {
  for (const Field& field : fields()) {
    for (const DisplayRange range : {this->range_of(field, config_with(Limits::minmax)),
                                     this->range_of(field, config_with(Limits::zscale)), DisplayRange{-1.7F, 3.1F}}) {
      for (const std::int64_t bins : {256, 257, 4096, 65536}) {
        if (testing::sanitized && bins != 65536) continue;
        const auto found = this->bins_of(field, range, bins);
        std::vector<std::uint32_t> counts(static_cast<std::size_t>(bins), 0);
        const long double low = range.low;
        const long double width = static_cast<long double>(range.high) - low;
        for (std::size_t i = 0; i < field.pixels.size(); ++i) {
          if (std::isnan(field.pixels[i])) {
            ASSERT_EQ(found[i], 0) << field.name;
            continue;
          }
          // Three roundings to float on the way.
          const long double place = (field.pixels[i] - low) / width * static_cast<long double>(bins);
          const long double error = std::fabs(place) * 2e-7L;
          const auto last = static_cast<long double>(bins - 1);
          ASSERT_GE(found[i], std::clamp(std::floor(place - error), 0.0L, last)) << field.name << " " << i;
          ASSERT_LE(found[i], std::clamp(std::floor(place + error), 0.0L, last)) << field.name << " " << i;
          ++counts[static_cast<std::size_t>(found[i])];
        }
        ASSERT_EQ(this->counts_of(field, range, bins), counts) << field.name << " " << bins;
      }
    }
  }
}

TYPED_TEST(PictureTest, TheBinIsThatOfTheHeader) {
  const Field field = testing::star_field({333, 77}, 5, 2, 100, 11);
  const DisplayRange range{-1.25F, 9.8F};
  const std::int64_t bins = 1000;
  const auto factor = static_cast<float>(1000 / (static_cast<double>(range.high) - static_cast<double>(range.low)));
  const auto found = this->bins_of(field, range, bins);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float bin = std::floor((field.pixels[i] - range.low) * factor);
    ASSERT_EQ(found[i], static_cast<std::int64_t>(std::clamp(bin, 0.0F, 999.0F))) << field.pixels[i];
  }
}

TYPED_TEST(PictureTest, StretchesAreThoseOfDs9) {
  const auto expect = [&](Stretch stretch, auto&& truth) {
    for (const std::int64_t bins : {256, 1001, 65536}) {
      const auto table = this->table_of(stretch, bins);
      ASSERT_EQ(std::ssize(table), bins);
      for (std::int64_t bin = 0; bin < bins; ++bin) {
        const long double t = (static_cast<long double>(bin) + 0.5L) / static_cast<long double>(bins);
        const long double grey = 255 * truth(t);
        ASSERT_LE(std::fabs(table[static_cast<std::size_t>(bin)] - grey), 0.5L + 1e-9L) << bin << " of " << bins;
      }
    }
  };
  expect(Stretch::linear, [](long double t) { return t; });
  expect(Stretch::sqrt, [](long double t) { return std::sqrt(t); });
  expect(Stretch::log, [](long double t) { return std::log(1 + 1000 * t) / std::log(1001.0L); });
  expect(Stretch::asinh, [](long double t) { return std::asinh(10 * t) / std::asinh(10.0L); });
}

TYPED_TEST(PictureTest, EqualizedGreyIsTheShareOfThePixels) {
  std::mt19937 random(8);
  for (const std::int64_t bins : {256, 257, 4096, 65536}) {
    std::vector<std::uint32_t> counts;
    for (std::int64_t bin = 0; bin < bins; ++bin) counts.push_back(random() % 7 == 0 ? random() % 100'000 : 0);
    counts.back() = 4'000'000'000U;
    long double total = 0;
    for (const std::uint32_t count : counts) total += count;
    const auto table = this->table_of(Stretch::equalize, bins, counts);
    long double before = 0;
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      const long double grey = 255 * (before + counts[bin] / 2.0L) / total;
      ASSERT_LE(std::fabs(table[bin] - grey), 0.5L) << bin << " of " << bins;
      before += counts[bin];
    }
  }
  EXPECT_EQ(this->table_of(Stretch::equalize, 256, std::vector<std::uint32_t>(256, 0)),
            std::vector<std::uint8_t>(256, 0));
}

TYPED_TEST(PictureTest, AnEqualizedPictureHasAsMuchOfEveryGrey) {
  const Field field = testing::star_field({700, 500}, 20, 5, 1'000'000'000, 6);  // noise alone
  QuicklookConfig config = config_with(Limits::minmax, Stretch::equalize, 65536);
  const Picture picture = render_picture(this->put(field), config, this->where());
  std::vector<int> counts(256, 0);
  for (const std::uint8_t grey : picture.grey.pixels) ++counts[grey];
  const double share = 700 * 500 / 255.0;
  for (int grey = 1; grey < 255; ++grey) EXPECT_NEAR(counts[static_cast<std::size_t>(grey)], share, 0.1 * share);
  EXPECT_NEAR(counts[0], share / 2, 0.1 * share);
  EXPECT_NEAR(counts[255], share / 2, 0.1 * share);
}

TEST(ShrinkFactor, IsTheSmallestThatFits) {
  for (std::int64_t side = 1; side < 70; ++side) {
    for (std::int64_t size = 1; size < 80; ++size) {
      std::int64_t factor = 1;
      while ((side + factor - 1) / factor > size) ++factor;
      EXPECT_EQ(shrink_factor({side, 1}, size), factor) << side << " to " << size;
      EXPECT_EQ(shrink_factor({1, side}, size), factor) << side << " to " << size;
    }
  }
  EXPECT_EQ(shrink_factor({0, 0}, 10), 1);
}

TYPED_TEST(PictureTest, TheStageIsItsPartsOneAfterTheOther) {
  for (const Field& field : fields()) {
    QuicklookConfig config = config_with(Limits::zscale, Stretch::equalize, 300);
    config.size = 100;
    const Picture picture = render_picture(this->put(field), config, this->where());
    EXPECT_EQ(picture.factor, shrink_factor(field.shape, 100));
    const auto shrunk = shrink(this->put(field), picture.factor, this->where());
    EXPECT_EQ(picture.grey.shape, shrunk.shape);
    const Field small{field.name, shrunk.shape, this->pixels_of(shrunk)};
    EXPECT_EQ(picture.range, this->range_of(small, config));
    const auto table = this->table_of(Stretch::equalize, 300, this->counts_of(small, picture.range, 300));
    EXPECT_EQ(testing::Backend<Cpu>().get(picture.grey.pixels), this->drawn(small, picture.range, table)) << field.name;
  }
}

TEST(Picture, DoesNotDependOnThreads) {
  const Field field = testing::star_field({2311, 1777}, 100, 10, 500, 2);
  Image<float, Cpu> image(field.shape, Cpu{});
  std::ranges::copy(field.pixels, image.pixels.begin());
  for (const Stretch stretch : {Stretch::asinh, Stretch::equalize}) {
    for (const std::int64_t size : {500, 5000}) {
      QuicklookConfig config = config_with(Limits::zscale, stretch, 4096);
      config.size = size;
      const Picture one = render_picture(image, config, Cpu{1});
      const Picture three = render_picture(image, config, Cpu{3});
      EXPECT_EQ(one.range, three.range);
      EXPECT_TRUE(std::ranges::equal(one.grey.pixels, three.grey.pixels));
    }
  }
}

}  // namespace
}  // namespace srcextract
