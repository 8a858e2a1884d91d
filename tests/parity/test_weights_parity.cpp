// Maps of weights: CPU and CUDA bodies on the same input, to the last bit. Where no GPU is, the CPU stands against
// itself on another number of threads.
#include <cmath>
#include <random>

#include "stages/weights/noise_scale.hpp"
#include "stages/weights/weights.hpp"
#include "tests/parity/parity_support.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::Field;
using testing::same_bytes;
using testing::StageTest;

/// Weights that differ from place to place, with holes and bad columns.
std::vector<float> weights_of(const Field& field) {
  std::mt19937 random(static_cast<unsigned>(field.pixels.size()));
  std::uniform_real_distribution<float> any(0, 1);
  std::vector<float> weights;
  for (std::int64_t i = 0; i < field.shape.count(); ++i) {
    const std::int64_t x = i % field.shape.width, y = i / field.shape.width;
    const bool hole = any(random) < 0.01F || x % 97 == 50;
    weights.push_back(hole ? 0 : 0.5F + any(random) + (y / 100 % 2 == 0 ? 1.0F : 0.0F));
  }
  return weights;
}

struct WeightResults {
  std::vector<float> image, variance, kept;
  std::int64_t masked;
  double scale, scale_of_one_sky;
  std::vector<Run> runs;
};

template <class Where>
WeightResults run_weights(const Backend<Where>& backend, const Field& field, const Where& where, WeightsConfig weights,
                          const BackgroundConfig& config) {
  auto pixels = testing::put_pixels(backend, field.shape, field.pixels);
  apply_weights(testing::put_image(backend, field.shape, weights_of(field)), weights, pixels, where);
  const MeshSky<Where> sky = estimate_mesh(pixels.image, config, where);
  const auto scale = noise_scale(pixels.image, pixels.variance, sky.mesh, config, where);
  const auto of_one = noise_scale(estimate_background(pixels.image, config, where),
                                  estimate_background(pixels.variance, config, where), where);
  const Image<float, Where> above = subtract_sky(pixels.image, sky.mesh, where);
  auto there = backend.put_value(testing::low_levels());
  set_noise_scale(there, scale, where);
  const auto runs = find_runs(above, there, pixels.variance, where);
  return {backend.get(pixels.image.pixels),
          backend.get(pixels.variance.pixels),
          backend.get(pixels.kept.pixels),
          fetch(pixels.masked, where).weight,
          fetch(scale, where),
          fetch(of_one, where),
          testing::get_runs(backend, runs)};
}

template <class Where>
class WeightsParity : public StageTest<Where> {};
TYPED_TEST_SUITE(WeightsParity, Backends);

TYPED_TEST(WeightsParity, EveryPixelScaleAndRunEqualsOneThreadToTheLastBit) {
  std::size_t runs = 0;
  std::int64_t masked = 0;
  for (const Field& field : testing::parity_fields(900)) {
    for (const WeightType type : {WeightType::rms, WeightType::variance, WeightType::weight}) {
      for (const std::int64_t mesh : {8, 17, 64, 100'000}) {
        BackgroundConfig config;
        config.mesh_size = mesh;
        WeightsConfig weights;
        weights.type = type;
        if (mesh == 17) {
          weights.threshold = 1.2;
          weights.beyond = BeyondThreshold::detect;
        }
        const WeightResults one = run_weights(Backend<Cpu>(), field, Cpu{1}, weights, config);
        const WeightResults other = run_weights(this->backend(), field, this->where(), weights, config);
        const std::string name = field.name + ", meshes of " + std::to_string(mesh);
        EXPECT_TRUE(same_bytes(other.image, one.image)) << name << ": pixels";
        EXPECT_TRUE(same_bytes(other.variance, one.variance)) << name << ": variances";
        EXPECT_TRUE(same_bytes(other.kept, one.kept)) << name << ": kept pixels";
        EXPECT_TRUE(same_bytes(other.runs, one.runs)) << name << ": runs";
        EXPECT_EQ(other.masked, one.masked) << name;
        EXPECT_EQ(other.scale, one.scale) << name;
        EXPECT_EQ(other.scale_of_one_sky, one.scale_of_one_sky) << name;
        runs += one.runs.size();
        masked += one.masked;
      }
    }
  }
  EXPECT_GT(runs, static_cast<std::size_t>(testing::share(100'000)));
  EXPECT_GT(masked, testing::share(100'000));
}

}  // namespace
}  // namespace srcextract
