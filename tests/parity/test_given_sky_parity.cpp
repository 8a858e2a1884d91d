// A sky that is given: CPU and CUDA bodies on the same input, to the last bit. Where no GPU is, the CPU stands against
// itself on another number of threads.

#include <random>

#include "stages/sky/given_sky.hpp"
#include "stages/weights/given_level.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/same_bytes.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::Field;
using testing::same_bytes;
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
  std::vector<float> image, variance, level, rms, level_bend, rms_bend, above;
  Background of_mesh, of_above, of_one;
  std::int64_t masked;
  std::vector<Run> runs;
};

template <class Where>
GivenResults run_given(const Backend<Where>& backend, const Field& field, const Where& where, const GivenSky& given,
                       const BackgroundConfig& config) {
  Pixels<Where> pixels;
  Image<float, Where> level;
  pixels.image.shape = pixels.variance.shape = level.shape = field.shape;
  pixels.image.pixels = backend.put(field.pixels);
  pixels.variance.pixels = backend.put(std::vector<float>(field.pixels.size(), 2));
  level.pixels = backend.put(level_of(field));
  pixels.masked = backend.put_value(MaskCounts{});
  if (given.level) subtract_level(level, pixels, where);
  auto one = estimate_background(pixels.image, config, where);
  give_sky(given, one, where);
  MeshSky<Where> sky = estimate_mesh(pixels.image, config, where);
  give_sky(given, sky, where);
  const Image<float, Where> above = subtract_sky(pixels.image, sky.mesh, where);
  Levels levels;
  levels.in_noise = 1.5;
  const auto runs = find_runs(above, backend.put_value(levels), sky.mesh, where);
  return {backend.get(pixels.image.pixels),  backend.get(pixels.variance.pixels),
          backend.get(sky.mesh.level),       backend.get(sky.mesh.rms),
          backend.get(sky.mesh.level_bend),  backend.get(sky.mesh.rms_bend),
          backend.get(above.pixels),         fetch(sky.background, where),
          fetch(sky.above, where),           fetch(one, where),
          fetch(pixels.masked, where).level, testing::get_runs(backend, runs)};
}

template <class Where>
class GivenSkyParity : public StageTest<Where> {};
TYPED_TEST_SUITE(GivenSkyParity, Backends);

TYPED_TEST(GivenSkyParity, EveryPixelNodeAndRunEqualsOneThreadToTheLastBit) {
  auto fields = testing::hostile_fields();
  fields.push_back(testing::star_field({1031, 1500}, 1000, 12, 900, 77));
  std::size_t runs = 0;
  std::int64_t masked = 0;
  for (const Field& field : fields) {
    for (const GivenSky& given : {GivenSky{true, 0}, GivenSky{false, 7.5F}, GivenSky{true, 7.5F}}) {
      for (const std::int64_t mesh : {17, 64, 100'000}) {
        BackgroundConfig config;
        config.mesh_size = mesh;
        const GivenResults one = run_given(Backend<Cpu>(), field, Cpu{1}, given, config);
        const GivenResults other = run_given(this->backend(), field, this->where(), given, config);
        const std::string name = field.name + ", meshes of " + std::to_string(mesh);
        EXPECT_TRUE(same_bytes(other.image, one.image)) << name << ": pixels";
        EXPECT_TRUE(same_bytes(other.variance, one.variance)) << name << ": variances";
        EXPECT_TRUE(same_bytes(other.level, one.level)) << name << ": levels";
        EXPECT_TRUE(same_bytes(other.rms, one.rms)) << name << ": rms";
        EXPECT_TRUE(same_bytes(other.level_bend, one.level_bend)) << name << ": bends of levels";
        EXPECT_TRUE(same_bytes(other.rms_bend, one.rms_bend)) << name << ": bends of rms";
        EXPECT_TRUE(same_bytes(other.above, one.above)) << name << ": pixels above the sky";
        EXPECT_TRUE(same_bytes(other.runs, one.runs)) << name << ": runs";
        EXPECT_EQ(other.of_mesh, one.of_mesh) << name;
        EXPECT_EQ(other.of_above, one.of_above) << name;
        EXPECT_EQ(other.of_one, one.of_one) << name;
        EXPECT_EQ(other.masked, one.masked) << name;
        runs += one.runs.size();
        masked += one.masked;
        for (const float rms : one.rms) EXPECT_TRUE(given.rms == 0 || rms == given.rms) << name;
        for (const float level : one.level) EXPECT_TRUE(!given.level || level == 0) << name;
      }
    }
  }
  EXPECT_GT(runs, 100'000U);
  EXPECT_GT(masked, 10'000);
}

}  // namespace
}  // namespace srcextract
