// The fit of a crowd: CPU and CUDA bodies on the same images, to the last bit. Where no GPU is, the CPU stands against
// itself on another number of threads.

#include <array>
#include <bit>
#include <optional>
#include <string>

#include "stages/crowd/fit_crowd.hpp"
#include "tests/parity/parity_support.hpp"
#include "tests/support/crowd_scene.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::CrowdScene;
using testing::moffat;
using testing::PsfPlane;
using testing::same_bytes;
using testing::StageTest;

/// How an image is fitted.
struct CrowdCase {
  std::string name;
  CrowdScene scene;
  std::vector<PsfPlane> planes = {CrowdScene::star()};
  int mask = 81;
  double step = 0.5;
  CrowdImage image = {};  ///< without pixels
  CrowdConfig config = {};
  std::vector<float> variance = {};
  std::vector<CrowdPlace> places = {};
  Shape shape = {CrowdScene::width, CrowdScene::height};
};

CrowdCase plain_case(const std::string& name, std::uint32_t seed, int count) {
  CrowdCase one{name, CrowdScene(seed, count)};
  one.image = one.scene.image();
  return one;
}

std::vector<CrowdCase> crowd_cases() {
  std::vector<CrowdCase> cases = {plain_case("plain", 31, 60), plain_case("another seed", 32, 150),
                                  plain_case("no star", 33, 0), plain_case("one star", 34, 1)};
  CrowdCase masked = plain_case("masks, gain and saturation", 35, 80);
  for (std::size_t i = 7; i < masked.scene.pixels.size(); i += 97) masked.scene.pixels[i] = masked_pixel;
  for (std::int64_t y = 20; y < 50; ++y)
    masked.scene.pixels[static_cast<std::size_t>(y * CrowdScene::width + 60)] = masked_pixel;
  masked.image.gain = 1.5;
  masked.image.saturation = 350;
  cases.push_back(masked);
  CrowdCase mapped = plain_case("a map of noise", 36, 70);
  for (std::int64_t i = 0; i < mapped.image.shape.count(); ++i)
    mapped.variance.push_back(i % 61 == 0 ? masked_pixel : 3 + 0.02F * static_cast<float>(i % CrowdScene::width));
  mapped.image.unit = 1;
  mapped.image.scales = false;
  mapped.image.gain = 1;
  cases.push_back(mapped);
  CrowdCase varying = plain_case("a PSF that varies, on a coarse mask", 37, 60);
  const auto part = [](double of) { return [=](double x, double y) { return of * moffat(2.6, 1.1, 1.9)(x, y); }; };
  varying.planes = {CrowdScene::star(), part(0.05), part(-0.04)};
  varying.mask = 25;
  varying.step = 1.3;
  varying.config.sky_size = 17;
  cases.push_back(varying);
  CrowdCase given = plain_case("given places", 38, 60);
  for (const CrowdStar& star : given.scene.stars) given.places.push_back({star.x + 0.1, star.y - 0.1});
  given.places.push_back({-30, 5});
  given.places.push_back({std::numeric_limits<double>::quiet_NaN(), 5});
  cases.push_back(given);
  CrowdCase injected = plain_case("added stars", 39, 50);
  injected.config.inject = 30;
  cases.push_back(injected);
  CrowdCase tiled = plain_case("tiles, with a map of noise", 41, 120);
  tiled.variance.assign(static_cast<std::size_t>(tiled.image.shape.count()), 3);
  tiled.image.unit = 1;
  tiled.image.scales = false;
  tiled.config.tile_size = 64;
  cases.push_back(tiled);
  CrowdCase faint = plain_case("pixels in a unit of 2^-20", 42, 60);
  for (float& pixel : faint.scene.pixels) pixel = std::ldexp(pixel, -20);
  faint.image.background = std::ldexp(faint.image.background, -20);
  faint.image.unit = std::ldexp(faint.image.unit, -40);
  cases.push_back(faint);
  CrowdCase bright = plain_case("a bright star on a small mask", 43, 40);
  for (std::int64_t y = 0; y < CrowdScene::height; ++y)
    for (std::int64_t x = 0; x < CrowdScene::width; ++x)
      bright.scene.pixels[static_cast<std::size_t>(y * CrowdScene::width + x)] +=
          static_cast<float>(4e6 * CrowdScene::star()(static_cast<double>(x) - 60.3, static_cast<double>(y) - 50.8));
  bright.mask = 31;
  cases.push_back(bright);
  CrowdCase uneven = plain_case("noise that is four times as high on the right", 45, 60);
  for (std::int64_t i = 0; i < uneven.image.shape.count(); ++i) {
    const std::int64_t x = i % CrowdScene::width;
    // added numbers have the variance of uniform ones, 1/12 of the square of their range
    if (x >= 70)
      uneven.scene.pixels[static_cast<std::size_t>(i)] += 4 * static_cast<float>(CrowdScene::sigma * std::sqrt(12.0)) *
                                                          (static_cast<float>(i * 7919 % 997) / 997 - 0.5F);
  }
  cases.push_back(uneven);
  CrowdCase edge = plain_case("an edge of a nebula, and rows of their own levels", 46, 2);
  for (std::int64_t i = 0; i < edge.image.shape.count(); ++i) {
    const std::int64_t x = i % CrowdScene::width, y = i / CrowdScene::width;
    const double of_row = static_cast<double>(y * 7919 % 97) / 97 - 0.5;
    edge.scene.pixels[static_cast<std::size_t>(i)] +=
        static_cast<float>(5 * CrowdScene::sigma * of_row + (x - y > 20 ? 30 * CrowdScene::sigma : 0));
  }
  edge.config.threshold = 2;
  cases.push_back(edge);
  CrowdCase wide = plain_case("a PSF too wide for shared memory", 44, 20);
  wide.planes = {moffat(9, 1, 3)};
  for (std::int64_t i = 0; i < wide.image.shape.count(); ++i) {
    const std::int64_t x = i % CrowdScene::width, y = i / CrowdScene::width;
    double light = CrowdScene::sky_level + static_cast<double>(i * 7919 % 101) / 15;
    for (const CrowdStar& star : wide.scene.stars)
      light += 20 * star.flux * wide.planes[0](static_cast<double>(x) - star.x, static_cast<double>(y) - star.y);
    wide.scene.pixels[static_cast<std::size_t>(i)] = static_cast<float>(light);
  }
  cases.push_back(wide);
  CrowdCase small = plain_case("an image narrower than its stamps", 40, 40);
  small.shape = {11, CrowdScene::height};
  cases.push_back(small);
  return cases;
}

/// All numbers of a row, so that no padding is compared.
std::array<std::uint64_t, 17> bits_of(const CrowdRow& row) {
  std::array<std::uint64_t, 17> all{};
  std::size_t i = 0;
  for (const double one : {row.x, row.y, row.flux, row.variance, row.xx, row.yy, row.xy, row.chi2, row.spread,
                           row.spread_variance, row.share, row.quality, row.sky, row.completeness, row.confusion})
    all[i++] = std::bit_cast<std::uint64_t>(one);
  all[i++] = static_cast<std::uint64_t>(row.turn);
  all[i] = static_cast<std::uint64_t>(row.flags);
  return all;
}

template <class Where>
CrowdFit run_crowd(const Backend<Where>& backend, const CrowdCase& one, const Where& where) {
  std::vector<float> cut;
  for (std::int64_t i = 0; i < one.shape.count(); ++i)
    cut.push_back(
        one.scene.pixels[static_cast<std::size_t>(i / one.shape.width * CrowdScene::width + i % one.shape.width)]);
  const Buffer<float, Where> pixels = backend.put(cut), variance = backend.put(one.variance);
  CrowdImage image = one.image;
  image.pixels = pixels.data();
  image.variance = variance.data();
  image.shape = one.shape;
  const std::vector<double> numbers = testing::crowd_psf_numbers(one.mask, one.step, one.planes);
  return fit_crowd(image, PsfModel(numbers.data()), one.config, where, one.places.empty() ? nullptr : &one.places);
}

template <class Where>
class CrowdParity : public StageTest<Where> {};
TYPED_TEST_SUITE(CrowdParity, Backends);

TYPED_TEST(CrowdParity, EveryNumberEqualsOneThreadToTheLastBit) {
  std::size_t negatives = 0;
  for (const CrowdCase& one : crowd_cases()) {
    SCOPED_TRACE(one.name);
    const CrowdFit host = run_crowd(Backend<Cpu>(), one, Cpu{1});
    const CrowdFit here = run_crowd(this->backend(), one, this->where());
    EXPECT_GE(std::ssize(host.rows), std::ssize(one.scene.stars) / (one.shape.width < 100 ? 40 : 3));
    ASSERT_EQ(host.turns.size(), here.turns.size());
    for (std::size_t i = 0; i < host.turns.size(); ++i) {
      EXPECT_EQ(host.turns[i].found, here.turns[i].found) << "turn " << i;
      EXPECT_EQ(host.turns[i].stars, here.turns[i].stars) << "turn " << i;
      EXPECT_EQ(host.turns[i].rounds, here.turns[i].rounds) << "turn " << i;
      EXPECT_EQ(host.turns[i].noise, here.turns[i].noise) << "turn " << i;
    }
    ASSERT_EQ(host.rows.size(), here.rows.size());
    for (std::size_t i = 0; i < host.rows.size(); ++i)
      ASSERT_EQ(bits_of(host.rows[i]), bits_of(here.rows[i])) << "row " << i;
    EXPECT_TRUE(same_bytes(host.sky.level, here.sky.level));
    EXPECT_TRUE(same_bytes(host.model, here.model));
    EXPECT_TRUE(same_bytes(host.weight, here.weight));
    EXPECT_TRUE(same_bytes(host.residual, here.residual));
    EXPECT_EQ(host.noise, here.noise);
    ASSERT_EQ(host.bins.size(), here.bins.size());
    for (std::size_t i = 0; i < host.bins.size(); ++i) EXPECT_EQ(host.bins[i].found, here.bins[i].found);
    ASSERT_EQ(host.negatives.size(), here.negatives.size());
    for (std::size_t i = 0; i < host.negatives.size(); ++i) {
      EXPECT_EQ(host.negatives[i].x, here.negatives[i].x) << "negative " << i;
      EXPECT_EQ(host.negatives[i].y, here.negatives[i].y) << "negative " << i;
    }
    negatives += host.negatives.size();
  }
  EXPECT_GT(negatives, 0u);
}

}  // namespace
}  // namespace srcextract
