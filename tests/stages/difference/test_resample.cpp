#include "stages/difference/resample.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>
#include <utility>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/same_bits.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::nan;
using testing::same_bits;
using testing::StageTest;

using Positions = std::function<std::pair<double, double>(double x, double y)>;
constexpr Interpolation both[] = {Interpolation::bilinear, Interpolation::lanczos3};

PixelMap map_of(Shape shape, const Positions& positions) {
  PixelMap map(shape);
  for (std::int64_t node = 0; node < map.nodes.count(); ++node) {
    const std::int64_t column = node % map.nodes.width;
    const std::int64_t row = node / map.nodes.width;
    const auto [x, y] =
        positions(static_cast<double>(column * PixelMap::step), static_cast<double>(row * PixelMap::step));
    map.x.push_back(x);
    map.y.push_back(y);
  }
  return map;
}

/// Positions that are linear in x and y, so that those between nodes are what the function says.
Positions affine(double x0, double xx, double xy, double y0, double yx, double yy) {
  return [=](double x, double y) { return std::pair(x0 + xx * x + xy * y, y0 + yx * x + yy * y); };
}
Positions shift(double dx, double dy) {
  return affine(dx, 1, 0, dy, 0, 1);
}

double sinc(double t) {
  return t == 0 ? 1 : std::sin(std::numbers::pi * t) / (std::numbers::pi * t);
}
double weight(double t, Interpolation interpolation) {
  const double distance = std::abs(t);
  if (interpolation == Interpolation::bilinear) return distance < 1 ? 1 - distance : 0;
  return distance < 3 ? sinc(distance) * sinc(distance / 3) : 0;
}

/// One pixel by the definition: every pixel of the image has a weight, and most of them none.
double interpolated(const Field& field, double px, double py, Interpolation interpolation) {
  const std::int64_t width = field.shape.width;
  const std::int64_t height = field.shape.height;
  const auto nearest_x = static_cast<std::int64_t>(std::floor(px + 0.5));
  const auto nearest_y = static_cast<std::int64_t>(std::floor(py + 0.5));
  const auto at = [&](std::int64_t x, std::int64_t y) { return field.pixels[static_cast<std::size_t>(y * width + x)]; };
  if (nearest_x < 0 || nearest_x >= width || nearest_y < 0 || nearest_y >= height) return nan;
  if (std::isnan(at(nearest_x, nearest_y))) return nan;
  double sum = 0;
  double left = 0;
  double all = 0;
  for (std::int64_t y = nearest_y - 4; y <= nearest_y + 4; ++y) {
    for (std::int64_t x = nearest_x - 4; x <= nearest_x + 4; ++x) {
      const double w =
          weight(px - static_cast<double>(x), interpolation) * weight(py - static_cast<double>(y), interpolation);
      all += w;
      if (x < 0 || x >= width || y < 0 || y >= height || std::isnan(at(x, y))) continue;
      left += w;
      sum += w * static_cast<double>(at(x, y));
    }
  }
  return left >= 0.25 * all - 1e-12 ? sum / left : nan;
}

Field random_field(Shape shape, double masked, unsigned seed) {
  std::mt19937 random(seed);
  Field field{"random", shape, {}};
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const float value = static_cast<float>(random() % 20000) / 16 - 200;
    field.pixels.push_back(random() % 1000 < 1000 * masked ? nan : value);
  }
  return field;
}

template <class Where>
class Resample : public StageTest<Where> {
 protected:
  /// On the grid of the map; fails if CPU threads, or the other back end, give other bytes.
  std::vector<float> resampled(const Field& field, const PixelMap& map, Interpolation interpolation) {
    const auto result = resample(this->image(field.shape, field.pixels), map, interpolation, this->where());
    EXPECT_EQ(result.shape, map.shape);
    const std::vector<float> pixels = this->backend().get(result.pixels);

    Image<float, Cpu> host(field.shape, Cpu{});
    std::copy(field.pixels.begin(), field.pixels.end(), host.pixels.begin());
    const auto one_thread = resample(host, map, interpolation, Cpu{1});
    EXPECT_TRUE(same_bits(pixels, {one_thread.pixels.begin(), one_thread.pixels.end()})) << field.name;
    return pixels;
  }

  /// Returns how many pixels are not masked.
  std::int64_t expect_truth(const Field& field, Shape shape, const Positions& positions, Interpolation interpolation) {
    const std::vector<float> pixels = resampled(field, map_of(shape, positions), interpolation);
    std::int64_t unmasked = 0;
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      const std::int64_t column = i % shape.width;
      const std::int64_t row = i / shape.width;
      const auto [x, y] = positions(static_cast<double>(column), static_cast<double>(row));
      const double truth = interpolated(field, x, y, interpolation);
      const float pixel = pixels[static_cast<std::size_t>(i)];
      EXPECT_EQ(std::isnan(pixel), std::isnan(truth)) << "pixel " << i << " at " << x << ", " << y;
      if (std::isnan(pixel) || std::isnan(truth)) continue;
      // Half a bit of the float; and of the doubles, the terms of the sum are up to 1000.
      EXPECT_NEAR(pixel, truth, std::abs(truth) * 0x1p-24 + 1e-9) << "pixel " << i << " at " << x << ", " << y;
      ++unmasked;
      if (this->HasFailure()) break;
    }
    return unmasked;
  }
};
TYPED_TEST_SUITE(Resample, Backends);

TYPED_TEST(Resample, GivesWhatTheDefinitionSays) {
  // Nowhere midway between pixels, where it is the last bit of a position that says which is nearest.
  const Positions maps[] = {shift(0.3141, -0.7182), affine(-3.2131, 1.01, 0.07, 4.4171, -0.06, 0.98),  // turned
                            affine(60.3131, -0.93, 0.2, 1.7171, 0.15, 1.02),                           // mirrored
                            affine(0.1131, 0.37, 0.013, -0.4171, 0.002, 0.41),                         // finer
                            affine(-40.4131, 3.3, 0.1, -20.1171, 0.2, 2.9)};                           // coarser
  std::int64_t unmasked = 0;
  for (const Interpolation interpolation : both) {
    for (const double masked : {0.0, 0.02, 0.4, 0.95, 1.0}) {
      for (const Positions& positions : maps) {
        unmasked += this->expect_truth(random_field({67, 53}, masked, 3), {61, 49}, positions, interpolation);
      }
    }
  }
  EXPECT_GT(unmasked, 10000);
}

TYPED_TEST(Resample, TakesImagesOfAnySize) {
  const std::int64_t sizes[] = {1, 2, 5, 6, 7, 15, 16, 17, 31, 32, 33};
  for (const Interpolation interpolation : both) {
    for (const std::int64_t width : sizes) {
      for (const std::int64_t height : sizes) {
        const Field field = random_field({width, height}, 0.05, 11);
        this->expect_truth(field, {width, height}, affine(0.2131, 0.99, 0.02, -0.1717, 0.01, 1.02), interpolation);
        this->expect_truth(field, {height, width}, affine(0.2131, 0, 0.99, -0.1717, 1.02, 0), interpolation);
      }
    }
    EXPECT_TRUE(this->resampled({"empty", {0, 0}, {}}, map_of({0, 0}, shift(0, 0)), interpolation).empty());
    for (const float pixel : this->resampled({"empty", {0, 0}, {}}, map_of({33, 2}, shift(0, 0)), interpolation)) {
      EXPECT_TRUE(std::isnan(pixel));
    }
  }
}

/// scipy.ndimage.map_coordinates(order=1), and in NumPy the sum of np.sinc(t) * np.sinc(t / 3) over the image.
TYPED_TEST(Resample, GivesTheNumbersOfScipy) {
  Field field{"formula", {11, 9}, {}};
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 11; ++x) field.pixels.push_back(static_cast<float>((x * x * 7 + y * 13 + x * y * 5) % 101));
  }
  const PixelMap map = map_of({8, 6}, affine(2.25, 0.75, 0.125, 2.5, -0.0625, 0.5));
  const std::vector<float> bilinear = {
      72.125F, 30.25F,      45.75F,     58.3125F,    55.3125F,  43.0625F,    40.84375F,  42.0F,
      77.875F, 40.375F,     20.625F,    58.078125F,  73.65625F, 64.9921875F, 64.609375F, 37.0F,
      59.0F,   49.546875F,  21.375F,    55.3125F,    67.375F,   68.609375F,  76.375F,    23.15625F,
      53.375F, 60.1328125F, 37.125F,    35.8125F,    36.46875F, 41.2890625F, 47.90625F,  33.609375F,
      35.75F,  49.25F,      50.34375F,  35.875F,     31.4375F,  33.53125F,   39.0F,      51.0F,
      6.125F,  47.671875F,  65.765625F, 54.8828125F, 52.28125F, 57.9609375F, 46.5F,      32.1015625F};
  const std::vector<float> lanczos = {
      83.058761596F, 16.227581024F, 37.467929840F, 74.759658813F, 60.070816040F, 37.943332672F, 36.161369323F,
      35.037090301F, 87.298377990F, 32.415382385F, 9.8418474197F, 66.370468139F, 90.022651672F, 68.978225708F,
      72.316856384F, 23.045766830F, 72.231742858F, 55.883052825F, 7.4915213584F, 53.948944091F, 78.560661315F,
      75.428413391F, 80.833877563F, 18.037778854F, 52.148242950F, 71.680740356F, 29.323095321F, 31.406217575F,
      32.744998931F, 35.252388000F, 45.532234191F, 34.586296081F, 23.633968353F, 66.198806762F, 57.690128326F,
      22.636148452F, 21.671457290F, 28.620870590F, 34.119514465F, 53.655929565F, -1.914774298F, 51.521175384F,
      77.925598144F, 45.634433746F, 52.977832794F, 72.451408386F, 43.364059448F, 30.026897430F};
  EXPECT_EQ(this->resampled(field, map, Interpolation::bilinear), bilinear);
  const std::vector<float> ours = this->resampled(field, map, Interpolation::lanczos3);
  for (std::size_t i = 0; i < lanczos.size(); ++i) EXPECT_FLOAT_EQ(ours[i], lanczos[i]) << i;
}

TYPED_TEST(Resample, ShiftsByWholePixelsExactly) {
  Field field = random_field({101, 67}, 0.03, 5);
  field.pixels[0] = -0.0F;
  for (const Interpolation interpolation : both) {
    EXPECT_TRUE(same_bits(this->resampled(field, map_of(field.shape, shift(0, 0)), interpolation), field.pixels));
    // As a projection and its inverse round.
    EXPECT_TRUE(
        same_bits(this->resampled(field, map_of(field.shape, shift(-3e-9, 2e-8)), interpolation), field.pixels));
    for (const auto& [dx, dy] : {std::pair(3, 0), {0, -7}, {-20, 33}, {100, 66}, {101, 0}, {0, -67}, {5000, 3}}) {
      std::vector<float> shifted;
      for (std::int64_t y = dy; y < dy + 67; ++y) {
        for (std::int64_t x = dx; x < dx + 101; ++x) {
          const bool inside = x >= 0 && x < 101 && y >= 0 && y < 67;
          shifted.push_back(inside ? field.pixels[static_cast<std::size_t>(y * 101 + x)] : nan);
        }
      }
      const PixelMap map = map_of(field.shape, shift(dx, dy));
      EXPECT_TRUE(same_bits(this->resampled(field, map, interpolation), shifted)) << dx << ", " << dy;
    }
  }
}

/// A constant stays what it is, and so do its edges and what is around its masked pixels.
TYPED_TEST(Resample, AFlatImageStaysFlat) {
  Field field = random_field({75, 44}, 0.2, 9);
  for (float& pixel : field.pixels) pixel = std::isnan(pixel) ? nan : 1234.5F;
  for (const Interpolation interpolation : both) {
    int flat = 0;
    for (const float pixel :
         this->resampled(field, map_of({70, 40}, affine(1.3, 1, 0.03, 2.2, -0.03, 1)), interpolation)) {
      if (std::isnan(pixel)) continue;
      EXPECT_FLOAT_EQ(pixel, 1234.5F);
      ++flat;
    }
    EXPECT_GT(flat, 1500);
  }
}

TYPED_TEST(Resample, MasksWhereTheMapHasNoPosition) {
  const Field field = random_field({64, 64}, 0, 13);
  PixelMap map = map_of(field.shape, shift(0.5, 0.5));
  const std::size_t node = 2 * 5 + 2;  // at (32, 32)
  map.x[node] = map.y[node] = std::nan("");
  for (const Interpolation interpolation : both) {
    const std::vector<float> pixels = this->resampled(field, map, interpolation);
    for (std::size_t y = 0; y < 64; ++y) {
      for (std::size_t x = 0; x < 64; ++x) {
        const bool around = x >= 16 && x < 48 && y >= 16 && y < 48;
        const bool beyond = x == 63 || y == 63;  // positions 63.5
        EXPECT_EQ(std::isnan(pixels[y * 64 + x]), around || beyond) << x << ", " << y;
      }
    }
  }
}

TYPED_TEST(Resample, OfTwoNearestPixelsTheLaterCounts) {
  const Field field{"row", {4, 1}, {1, nan, 5, 7}};
  const std::vector<float> pixels = this->resampled(field, map_of({5, 1}, shift(-0.5, 0)), Interpolation::bilinear);
  EXPECT_EQ(pixels[0], 1);  // at -0.5, which belongs to the first pixel
  EXPECT_TRUE(std::isnan(pixels[1]));
  EXPECT_EQ(pixels[2], 5);
  EXPECT_EQ(pixels[3], 6);
  EXPECT_TRUE(std::isnan(pixels[4]));  // at 3.5, beyond the last
}

TYPED_TEST(Resample, MakesNoInfinities) {
  Field field{"largest", {20, 20}, {}};
  for (int i = 0; i < 400; ++i) {
    const float largest = std::numeric_limits<float>::max();
    field.pixels.push_back((i / 20 + i % 20) / 2 % 2 == 0 ? largest : -largest);
  }
  for (const Interpolation interpolation : both) {
    for (const float pixel : this->resampled(field, map_of(field.shape, shift(0.3, 0.4)), interpolation)) {
      EXPECT_FALSE(std::isinf(pixel));
    }
  }
}

}  // namespace
}  // namespace srcextract
