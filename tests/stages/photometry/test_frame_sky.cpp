// The local sky: what a frame about a source holds, which pixels of it count, and what it is subtracted from. Values
// are those of images that are flat in the frame. tests/truth/test_local_sky.py has SExtractor beside it.
#include <gtest/gtest.h>

#include "tests/stages/photometry/given_sources.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::Given;
using testing::photometry_of;
using testing::side;
using testing::StageTest;

constexpr float in_frame = 3.25F, elsewhere = 40;

/// A source of 9 pixels whose frame has its inner edges two pixels, and its outer ones seven, from them.
const Given source{{50, 46, 55}, 50, 50, 4, 2, 0};

Settings config_of(MaskNeighbours mask = MaskNeighbours::correct) {
  Settings config;
  config.output.columns = {"FLUX_AUTO", "FLUX_APER", "FLUX_RADIUS"};
  config.measurement.local_sky = 5;
  config.measurement.mask = mask;
  return config;
}

bool is_in_frame(std::int64_t x, std::int64_t y) {
  const bool outer = x >= 39 && x < 62 && y >= 45 && y < 56, inner = x >= 44 && x < 57 && y >= 50 && y < 51;
  return outer && !inner;
}

std::vector<float> frame_of(float value) {
  std::vector<float> pixels(side * side, elsewhere);
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x)
      if (is_in_frame(x, y)) pixels[static_cast<std::size_t>(y * side + x)] = value;
  return pixels;
}

template <class Where>
FrameSky sky_of(const Backend<Where>& backend, const std::vector<float>& pixels, const Given& given,
                const std::vector<Run>& others = {}, MaskNeighbours mask = MaskNeighbours::correct) {
  const Photometry<Where> all = photometry_of(backend, pixels, {given}, config_of(mask), others);
  return backend.get(all.template of<FrameSkyFamily>().rows, 1).front();
}

template <class Where>
class FrameSkyTest : public StageTest<Where> {};
TYPED_TEST_SUITE(FrameSkyTest, Backends);

TYPED_TEST(FrameSkyTest, IsWhatTheFrameHolds) {
  const FrameSky sky = sky_of(this->backend(), frame_of(in_frame), source);
  EXPECT_EQ(sky.sky, in_frame);
  EXPECT_EQ(sky.pixels, 23 * 11 - 13);
}

TYPED_TEST(FrameSkyTest, ClipsFewBrightPixels) {
  std::vector<float> pixels = frame_of(in_frame);
  for (std::int64_t x = 39; x < 62; x += 4) pixels[static_cast<std::size_t>(47 * side + x)] = 5000;
  EXPECT_NEAR(sky_of(this->backend(), pixels, source).sky, in_frame, 0.5);
}

TYPED_TEST(FrameSkyTest, IsNoneAtTheEdgeOfTheImage) {
  const Given last{{side - 6, 46, 55}, 50, static_cast<double>(side - 6), 4, 2, 0};
  EXPECT_EQ(sky_of(this->backend(), frame_of(in_frame), last).pixels, 0);
  const Given inside{{side - 7, 46, 55}, 50, static_cast<double>(side - 7), 4, 2, 0};
  EXPECT_GT(sky_of(this->backend(), frame_of(in_frame), inside).pixels, 0);
}

/// Pixels of sources, in rows that SExtractor has searched: up to the source's last row, and the next up to its last
/// pixel, if there is no kernel.
TYPED_TEST(FrameSkyTest, LeavesOutPixelsThatWereFoundBefore) {
  const auto pixels = frame_of(in_frame);
  const auto counted = [&](const Run& other, MaskNeighbours mask = MaskNeighbours::correct) {
    return 23 * 11 - 13 - sky_of(this->backend(), pixels, source, {other}, mask).pixels;
  };
  EXPECT_EQ(counted({46, 40, 45}), 5);
  EXPECT_EQ(counted({46, 40, 45}, MaskNeighbours::none), 0);
  EXPECT_EQ(counted({46, 30, 45}), 6);  // a part of them is beyond
}

/// Fluxes are above it, radii are not.
TYPED_TEST(FrameSkyTest, IsSubtractedFromFluxes) {
  const auto pixels = frame_of(in_frame);
  const auto fluxes = [&](const Settings& config) {
    const auto all = photometry_of(this->backend(), pixels, {source}, config);
    return std::pair{this->backend().get(all.template of<KronFamily>().rows, 1).front(),
                     this->backend().get(all.template of<CircleFamily>().rows, 1).front()};
  };
  Settings without = config_of();
  without.measurement.local_sky = 0;
  const auto [ellipse, circle] = fluxes(config_of());
  const auto [whole_ellipse, whole_circle] = fluxes(without);
  EXPECT_EQ(ellipse.radius, whole_ellipse.radius);
  EXPECT_NEAR(whole_ellipse.flux - ellipse.flux, static_cast<double>(in_frame) * ellipse.area, 1e-9);
  EXPECT_NEAR(whole_circle.flux - circle.flux, static_cast<double>(in_frame) * circle.variance, 1e-5);
}

}  // namespace
}  // namespace srcextract
