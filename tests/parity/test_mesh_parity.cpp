// The sky by meshes: CPU and CUDA bodies on the same input, to the last bit. Where no GPU is, the CPU stands against
// itself on another number of threads.

#include "stages/sky/mesh.hpp"
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

/// What the meshes make of a field, on the host.
struct MeshResults {
  std::vector<float> level, rms, level_bend, rms_bend, above;
  Background background, of_above;
  std::vector<Run> runs;
};

template <class Where>
MeshResults run_mesh(const Backend<Where>& backend, const Field& field, const Where& where,
                     const BackgroundConfig& config) {
  Image<float, Where> image;
  image.shape = field.shape;
  image.pixels = backend.put(field.pixels);
  const MeshSky<Where> sky = estimate_mesh(image, config, where);
  const Image<float, Where> above = subtract_sky(image, sky.mesh, where);
  Levels levels;
  levels.in_noise = 1.5;
  const auto runs = find_runs(above, backend.put_value(levels), sky.mesh, where);
  return {backend.get(sky.mesh.level),    backend.get(sky.mesh.rms),       backend.get(sky.mesh.level_bend),
          backend.get(sky.mesh.rms_bend), backend.get(above.pixels),       fetch(sky.background, where),
          fetch(sky.above, where),        testing::get_runs(backend, runs)};
}

template <class Where>
class MeshParity : public StageTest<Where> {};
TYPED_TEST_SUITE(MeshParity, Backends);

TYPED_TEST(MeshParity, EveryNodePixelAndRunEqualsOneThreadToTheLastBit) {
  auto fields = testing::hostile_fields();
  fields.push_back(testing::star_field({1031, 1500}, 1000, 12, 900, 77));
  std::size_t runs = 0;
  for (const Field& field : fields) {
    for (const std::int64_t mesh : {8, 17, 64, 200, 100'000}) {
      for (const std::int64_t filter : {1, 3, 7}) {
        BackgroundConfig config;
        config.mesh_size = mesh;
        config.filter_size = filter;
        config.estimator = filter == 1 ? BackgroundEstimator::median : BackgroundEstimator::sextractor;
        const MeshResults one = run_mesh(Backend<Cpu>(), field, Cpu{1}, config);
        const MeshResults other = run_mesh(this->backend(), field, this->where(), config);
        const std::string name = field.name + ", meshes of " + std::to_string(mesh);
        EXPECT_TRUE(same_bytes(other.level, one.level)) << name << ": levels";
        EXPECT_TRUE(same_bytes(other.rms, one.rms)) << name << ": rms";
        EXPECT_TRUE(same_bytes(other.level_bend, one.level_bend)) << name << ": bends of levels";
        EXPECT_TRUE(same_bytes(other.rms_bend, one.rms_bend)) << name << ": bends of rms";
        EXPECT_TRUE(same_bytes(other.above, one.above)) << name << ": pixels above the sky";
        EXPECT_TRUE(same_bytes(other.runs, one.runs)) << name << ": runs";
        EXPECT_EQ(other.background, one.background) << name;
        EXPECT_EQ(other.of_above, one.of_above) << name;
        runs += one.runs.size();
      }
    }
  }
  EXPECT_GT(runs, 100'000U);
}

}  // namespace
}  // namespace srcextract
