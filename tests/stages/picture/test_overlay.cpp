#include "stages/picture/overlay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <set>
#include <vector>

#include "tests/support/usual_sources.hpp"

namespace srcextract {
namespace {

using Rgb = std::array<std::uint8_t, 3>;

constexpr Rgb orange = {230, 159, 0};

Picture grey_picture(Shape shape, std::int64_t factor) {
  Picture picture;
  picture.grey = Image<std::uint8_t, Cpu>(shape, Cpu{});
  for (std::int64_t i = 0; i < shape.count(); ++i) picture.grey.pixels[i] = static_cast<std::uint8_t>(i * 7);
  picture.factor = factor;
  return picture;
}

void add_source(Sources& sources, double x, double y, double a, double b, double theta) {
  sources[columns::number].push_back(static_cast<std::int32_t>(sources.size() + 1));
  sources[columns::x_image].push_back(x);
  sources[columns::y_image].push_back(y);
  sources[columns::a_image].push_back(a);
  sources[columns::b_image].push_back(b);
  sources[columns::theta_image].push_back(theta);
}

Rgb colour_of(const ColourPicture& picture, std::int64_t pixel) {
  return picture.palette[picture.image.pixels[pixel]];
}

/// The pixels that are no longer as grey as they were, 254 being white; fails if they are not orange.
std::set<std::pair<std::int64_t, std::int64_t>> drawn_on(const Picture& picture, const ColourPicture& colour) {
  std::set<std::pair<std::int64_t, std::int64_t>> drawn;
  EXPECT_EQ(colour.image.shape, picture.grey.shape);
  const std::int64_t width = picture.grey.shape.width;
  for (std::int64_t i = 0; i < picture.grey.shape.count(); ++i) {
    const std::uint8_t before = picture.grey.pixels[i];
    const std::uint8_t grey = before == 254 ? 255 : before;
    if (colour_of(colour, i) == Rgb{grey, grey, grey}) continue;
    EXPECT_EQ(colour_of(colour, i), orange);
    drawn.emplace(i % width, i / width);
  }
  return drawn;
}

/// The pixels that an outline passes through, walked in steps that are far smaller than a pixel.
std::set<std::pair<std::int64_t, std::int64_t>> walk_ellipse(Shape shape, double x, double y, double a, double b,
                                                             double theta) {
  std::set<std::pair<std::int64_t, std::int64_t>> passed;
  const double angle = theta * std::numbers::pi / 180;
  for (int i = 0; i < 20'000; ++i) {
    const double t = i * std::numbers::pi / 10'000;
    const double along = a * std::cos(t);
    const double across = b * std::sin(t);
    const auto px = std::llround(x + along * std::cos(angle) - across * std::sin(angle));
    const auto py = std::llround(y + along * std::sin(angle) + across * std::cos(angle));
    if (px >= 0 && px < shape.width && py >= 0 && py < shape.height) passed.emplace(px, py);
  }
  return passed;
}

TEST(DrawEllipses, KeepsTheGreyBetweenThem) {
  for (const Shape shape : {Shape{1, 1}, {301, 7}, {1100, 700}}) {
    const Picture picture = grey_picture(shape, 1);
    EXPECT_TRUE(drawn_on(picture, draw_ellipses(testing::usual_sources(), picture, Cpu{3})).empty());
  }
}

TEST(DrawEllipses, FollowsTheOutline) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 300; ++i) {
    const Shape shape{211, 173};
    const auto factor = static_cast<std::int64_t>(1 + random() % 6);
    const auto scale = static_cast<double>(factor);
    const double x = 250 * uniform(random) - 20;  // in the picture
    const double y = 220 * uniform(random) - 20;
    const double a = 4 + 60 * uniform(random);
    const double b = 4 + (a - 4) * uniform(random);
    const double theta = 180 * uniform(random) - 90;
    Sources sources = testing::usual_sources();
    // The middle of the picture's first pixel is the middle of the image's first `factor` pixels, from 0.5 on.
    add_source(sources, (x + 0.5) * scale + 0.5, (y + 0.5) * scale + 0.5, a * scale / 3, b * scale / 3, theta);
    const Picture picture = grey_picture(shape, factor);
    const auto drawn = drawn_on(picture, draw_ellipses(sources, picture, Cpu{}));
    const auto passed = walk_ellipse(shape, x, y, a, b, theta);
    const auto near_one_of = [](const auto& pixel, const auto& pixels) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          if (pixels.contains({pixel.first + dx, pixel.second + dy})) return true;
        }
      }
      return false;
    };
    for (const auto& pixel : drawn) ASSERT_TRUE(passed.contains(pixel)) << pixel.first << ", " << pixel.second;
    for (const auto& [px, py] : passed) {
      const bool at_edge =
          px == 0 || py == 0 || px == shape.width - 1 || py == shape.height - 1;  // the next is outside
      ASSERT_TRUE(at_edge || near_one_of(std::pair(px, py), drawn)) << px << ", " << py;
    }
  }
}

TEST(DrawEllipses, ShowsTheSmallestSourceAsACircleOfFourPixels) {
  const Picture picture = grey_picture({21, 21}, 4);
  Sources sources = testing::usual_sources();
  add_source(sources, 42.5, 42.5, 0.3, 0, 17);  // the middle of the image
  const auto drawn = drawn_on(picture, draw_ellipses(sources, picture, Cpu{}));
  EXPECT_GE(drawn.size(), 20U);
  for (const auto& [x, y] : drawn) EXPECT_NEAR(std::hypot(x - 10, y - 10), 4, 0.71);
  for (const auto& [x, y] : {std::pair{6, 10}, {14, 10}, {10, 6}, {10, 14}}) EXPECT_TRUE(drawn.contains({x, y}));
}

TEST(DrawEllipses, LeavesOutWhatHasNoShapeOrPlace) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Picture picture = grey_picture({50, 40}, 1);
  Sources sources = testing::usual_sources();
  add_source(sources, nan, 20, 3, 3, 0);
  add_source(sources, 20, infinity, 3, 3, 0);
  add_source(sources, 20, -1e300, 3, 3, 0);
  add_source(sources, 20, 20, nan, nan, nan);
  add_source(sources, 20, 20, 3, 3, nan);
  add_source(sources, 20, 20, infinity, 3, 0);
  add_source(sources, 20, 20, 1e12, 3, 0);  // would take for ever
  EXPECT_TRUE(drawn_on(picture, draw_ellipses(sources, picture, Cpu{})).empty());
}

template <class T>
Buffer<T, Cpu> put(const std::vector<T>& values) {
  Buffer<T, Cpu> buffer(std::ssize(values), Cpu{});
  std::ranges::copy(values, buffer.begin());
  return buffer;
}

/// Runs of which every third belongs to no source, and the pixels of the others.
struct Detected {
  explicit Detected(Shape size) : shape(size), pixels(static_cast<std::size_t>(size.count()), 0) {
    std::mt19937 random(5);
    const auto at_most = [&](unsigned most) { return static_cast<std::int32_t>(random() % most); };
    const auto width = static_cast<std::int32_t>(shape.width);
    for (std::int32_t y = 0; y < shape.height; ++y) {
      for (std::int32_t x = at_most(60); x < width; x += 1 + at_most(60)) {
        const std::int32_t end = std::min(width, x + 1 + at_most(9));
        runs.push_back({y, x, end});
        labels.push_back(at_most(3) == 0 ? 0 : 1 + at_most(1000));
        for (; x < end; ++x) pixels[static_cast<std::size_t>(y * shape.width + x)] = labels.back() != 0 ? 1 : 0;
      }
      row_begin.push_back(std::ssize(runs));
    }
  }

  bool any_in_square(std::int64_t column, std::int64_t row, std::int64_t factor) const {
    for (std::int64_t y = row * factor; y < std::min((row + 1) * factor, shape.height); ++y) {
      for (std::int64_t x = column * factor; x < std::min((column + 1) * factor, shape.width); ++x) {
        if (pixels[static_cast<std::size_t>(y * shape.width + x)] != 0) return true;
      }
    }
    return false;
  }

  Shape shape;
  std::vector<srcextract::Run> runs;
  std::vector<std::int64_t> row_begin = {0};
  std::vector<std::int32_t> labels;
  std::vector<char> pixels;
};

void expect_near(const Rgb& colour, double red, double green, double blue, double most) {
  EXPECT_NEAR(colour[0], red, most);
  EXPECT_NEAR(colour[1], green, most);
  EXPECT_NEAR(colour[2], blue, most);
}

TEST(TintPixels, MarksTheSquaresWithDetectedPixels) {
  const Detected detected({101, 67});
  const Runs<Cpu> runs{detected.shape, put(detected.runs), put(detected.row_begin)};
  const Buffer<std::int32_t, Cpu> labels = put(detected.labels);
  for (const std::int64_t factor : {1, 2, 3, 7}) {
    const Picture picture = grey_picture(shrunk_shape(detected.shape, factor), factor);
    const ColourPicture blue = tint_pixels(runs, labels, Tint::sky_blue, picture, Cpu{});
    const ColourPicture red = tint_pixels(runs, labels, Tint::red, picture, Cpu{3});
    const auto [width, height] = picture.grey.shape;
    for (std::int64_t i = 0; i < width * height; ++i) {
      const double grey = picture.grey.pixels[i];
      const bool tinted = detected.any_in_square(i % width, i / width, factor);
      // A grey is one of 128, and may be one off; half of it is rounded down.
      expect_near(colour_of(red, i), tinted ? 255 : grey, tinted ? grey / 3.0 : grey, tinted ? grey / 3.0 : grey, 1);
      if (tinted) {
        expect_near(colour_of(blue, i), (grey + 86) / 2, (grey + 180) / 2, (grey + 233) / 2, 1);
      } else {
        expect_near(colour_of(blue, i), grey, grey, grey, 1);
        EXPECT_EQ(colour_of(blue, i)[0], colour_of(blue, i)[2]);
      }
    }
  }
}

TEST(TintPixels, KeepsBlackAndWhite) {
  Picture picture = grey_picture({2, 1}, 1);
  picture.grey.pixels[0] = 0;
  picture.grey.pixels[1] = 255;
  const Runs<Cpu> none{{2, 1}, put(std::vector<srcextract::Run>{}), put(std::vector<std::int64_t>{0, 0})};
  const ColourPicture drawn = tint_pixels(none, put(std::vector<std::int32_t>{}), Tint::red, picture, Cpu{});
  EXPECT_EQ(colour_of(drawn, 0), (Rgb{0, 0, 0}));
  EXPECT_EQ(colour_of(drawn, 1), (Rgb{255, 255, 255}));
}

}  // namespace
}  // namespace srcextract
