// A sky that is given: CPU and CUDA bodies on the same input, to the last bit. Where no GPU is, the CPU stands against
// itself on another number of threads.

#include <random>

#include "stages/sky/given_sky.hpp"
#include "stages/weights/given_level.hpp"
#include "tests/parity/parity_support.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::Field;
using testing::same_bytes;
using testing::SkyOnHost;
using testing::StageTest;

/// A slope with holes.
std::vector<float> level_of(const Field& field) {
  std::mt19937 random(static_cast<unsigned>(field.pixels.size()));
  std::uniform_real_distribution<float> any(0, 1);
  std::vector<float> level;
  for (std::int64_t i = 0; i < field.shape.count(); ++i) {
    const std::int64_t row = i / field.shape.width;
    const auto x = static_cast<float>(i - row * field.shape.width), y = static_cast<float>(row);
    level.push_back(any(random) < 0.01F ? masked_pixel : 90 + 0.31F * x - 0.07F * y);
  }
  return level;
}

struct GivenResults {
  std::vector<float> image, variance;
  SkyOnHost sky;
  Background of_one;
  std::int64_t masked;
};

template <class Where>
GivenResults run_given(const Backend<Where>& backend, const Field& field, const Where& where, const GivenSky& given,
                       const BackgroundConfig& config) {
  auto pixels = testing::put_pixels(backend, field.shape, field.pixels);
  pixels.variance = testing::put_image(backend, field.shape, std::vector<float>(field.pixels.size(), 2));
  const Image<float, Where> level = testing::put_image(backend, field.shape, level_of(field));
  if (given.level) subtract_level(level, pixels, where);
  auto one = estimate_background(pixels.image, config, where);
  give_sky(given, one, where);
  MeshSky<Where> sky = estimate_mesh(pixels.image, config, where);
  give_sky(given, sky, where);
  return {backend.get(pixels.image.pixels), backend.get(pixels.variance.pixels),
          testing::look_above(backend, pixels.image, sky, where), fetch(one, where), fetch(pixels.masked, where).level};
}

template <class Where>
class GivenSkyParity : public StageTest<Where> {};
TYPED_TEST_SUITE(GivenSkyParity, Backends);

TYPED_TEST(GivenSkyParity, EveryPixelNodeAndRunEqualsOneThreadToTheLastBit) {
  std::size_t runs = 0;
  std::int64_t masked = 0;
  for (const Field& field : testing::parity_fields(900)) {
    for (const GivenSky& given : {GivenSky{true, 0}, GivenSky{false, 7.5F}, GivenSky{true, 7.5F}}) {
      for (const std::int64_t mesh : {17, 64, 100'000}) {
        BackgroundConfig config;
        config.mesh_size = mesh;
        const GivenResults one = run_given(Backend<Cpu>(), field, Cpu{1}, given, config);
        const GivenResults other = run_given(this->backend(), field, this->where(), given, config);
        const std::string name = field.name + ", meshes of " + std::to_string(mesh);
        EXPECT_TRUE(same_bytes(other.image, one.image)) << name << ": pixels";
        EXPECT_TRUE(same_bytes(other.variance, one.variance)) << name << ": variances";
        expect_same(other.sky, one.sky, name);
        EXPECT_EQ(other.of_one, one.of_one) << name;
        EXPECT_EQ(other.masked, one.masked) << name;
        runs += one.sky.runs.size();
        masked += one.masked;
        for (const float rms : one.sky.rms) EXPECT_TRUE(given.rms == 0 || rms == given.rms) << name;
        for (const float level : one.sky.level) EXPECT_TRUE(!given.level || level == 0) << name;
      }
    }
  }
  EXPECT_GT(runs, static_cast<std::size_t>(testing::share(100'000)));
  EXPECT_GT(masked, testing::share(10'000));
}

}  // namespace
}  // namespace srcextract
