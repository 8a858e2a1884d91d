#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "stages/photometry/own_pixels.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

constexpr int block_width = 16;

/// An image in which every fourth pixel is another's, every tenth the source's own and some are bad.
struct Pixels {
  static constexpr std::int32_t columns = 61, rows = 23;
  std::vector<float> value, variance;
  std::vector<std::int32_t> owner;

  explicit Pixels(std::mt19937& random) {
    std::uniform_real_distribution<float> uniform(-100, 100);
    for (int i = 0; i < columns * rows; ++i) {
      const auto kind = random() % 20;
      value.push_back(random() % 30 == 0 ? std::numeric_limits<float>::quiet_NaN() : uniform(random));
      variance.push_back(1 + uniform(random) * 0.005F);
      owner.push_back(kind < 4 ? 7 : kind < 5 ? unclaimed_pixel : kind < 7 ? 3 : nobodys_pixel);
    }
  }
  PhotometryImage image(MaskNeighbours mask, bool mapped, bool owned) const {
    return {value.data(), mapped ? variance.data() : nullptr, owned ? owner.data() : nullptr, columns, rows, 12.5, 0,
            mask};
  }
};

template <class Real>
void compare_block(const PhotometryImage& image, std::int32_t x, std::int32_t y, Real cx, Real cy, std::mt19937& random,
                   int& masked) {
  std::int32_t wanted[block_width];
  const int count = std::min<std::int32_t>(block_width, image.width - x);
  for (int i = 0; i < block_width; ++i) wanted[i] = i < count && random() % 8 != 0 ? 1 : 0;
  const auto samples = image.samples(x, y, count, 3, cx, cy, wanted);
  const auto own = image.own_samples(x, y, count, 3, wanted);
  for (int i = 0; i < count; ++i) {
    if (wanted[i] == 0) {
      EXPECT_EQ(own.own[i], 0);
      continue;
    }
    const ApertureSample one = image.sample(x + i, y, 3, cx, cy);
    ASSERT_EQ(samples.masked[i] != 0, one.masked) << x + i << " " << y;
    ASSERT_EQ(samples.value[i], one.value) << x + i << " " << y << " about " << cx << " " << cy;
    ASSERT_EQ(samples.variance[i], one.variance) << x + i << " " << y;
    ASSERT_EQ(own.own[i] != 0, !one.masked) << x + i << " " << y;
    if (!one.masked) {
      ASSERT_EQ(own.value[i], one.value) << x + i << " " << y;
    }
    masked += one.masked ? 1 : 0;
  }
}

/// Blocks are what their pixels are one by one, also where what is opposite is beyond the image, or its first pixel.
TEST(ApertureSamples, BlocksAreTheirPixels) {
  std::mt19937 random(21);
  const Pixels pixels(random);
  std::uniform_real_distribution<double> along(0, Pixels::columns - 1), down(0, Pixels::rows - 1);
  constexpr MaskNeighbours masks[] = {MaskNeighbours::correct, MaskNeighbours::correct, MaskNeighbours::blank,
                                      MaskNeighbours::none};
  int masked = 0;
  for (int turn = 0; turn < (testing::sanitized ? 40 : 600); ++turn) {
    const PhotometryImage image = pixels.image(masks[turn % 4], turn % 3 == 0, turn % 7 != 0);
    double cx = along(random), cy = down(random);
    if (turn % 5 == 0) cx = std::round(2 * cx) / 2;
    for (std::int32_t y = 0; y < Pixels::rows; ++y) {
      for (auto x = static_cast<std::int32_t>(random() % block_width); x < Pixels::columns; x += block_width) {
        compare_block(image, x, y, cx, cy, random, masked);
        compare_block(image, x, y, static_cast<float>(cx), static_cast<float>(cy), random, masked);
        if (HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(masked, 10'000);
}

/// Those that are kept are those of the image, in boxes as they grow.
TEST(OwnPixels, AreKeptAsTheyAre) {
  std::mt19937 random(22);
  const Pixels pixels(random);
  const PhotometryImage image = pixels.image(MaskNeighbours::correct, false, true);
  std::uniform_real_distribution<double> along(0, Pixels::columns - 1), down(0, Pixels::rows - 1);
  int in_reach = 0;
  for (int turn = 0; turn < 50; ++turn) {
    const SourceShape shape{along(random), down(random), 3, 1.5F, 0.2F, 0.35F, 0.1F, true};
    const MeasuredSource source{3, shape, nullptr};
    const OwnPixels<block_width> plain(source, image);
    KeptOwnPixels<block_width> kept(source, image);
    const ApertureBox most = box_of_ellipse(shape, 6, image);
    ASSERT_TRUE(KeptOwnPixels<block_width>::hold(most));
    for (const float scale : {0.5F, 2.0F, 3.5F, 6.0F}) {
      const ApertureBox box = box_of_ellipse(shape, scale, image);
      kept.look_at(HostLanes(), box, [&] { return scale < 3 ? box_of_ellipse(shape, 3, image) : most; });
      for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
        for (std::int32_t x = box.x_begin; x < box.x_end; x += block_width) {
          const int count = std::min<std::int32_t>(block_width, box.x_end - x);
          const auto one = plain.block(x, y, count, scale * scale), other = kept.block(x, y, count, scale * scale);
          for (int i = 0; i < block_width; ++i) {
            ASSERT_EQ(other.ellipse.in_reach[i], one.ellipse.in_reach[i]) << x + i << " " << y << " " << scale;
            ASSERT_EQ(other.sample.own[i], one.sample.own[i]) << x + i << " " << y << " " << scale;
            if (one.sample.own[i] == 0) continue;
            ASSERT_EQ(other.ellipse.square[i], one.ellipse.square[i]);
            ASSERT_EQ(other.sample.value[i], one.sample.value[i]);
            ++in_reach;
          }
        }
      }
    }
  }
  EXPECT_GT(in_reach, 2000);
  EXPECT_FALSE(KeptOwnPixels<block_width>::hold({0, 1000, 0, 1000, false})) << "more than there is room for";
}

}  // namespace
}  // namespace srcextract
