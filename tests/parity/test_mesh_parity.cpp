// The sky by meshes: CPU and CUDA bodies on the same input, to the last bit. Where no GPU is, the CPU stands against
// itself on another number of threads.

#include "stages/sky/lower_noise.hpp"
#include "stages/sky/mask_bright.hpp"
#include "stages/sky/mask_light.hpp"
#include "stages/sky/mesh.hpp"
#include "tests/parity/parity_support.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::Field;
using testing::SkyOnHost;
using testing::StageTest;

template <class Where>
SkyOnHost run_mesh(const Backend<Where>& backend, const Field& field, const Where& where,
                   const BackgroundConfig& config) {
  const Image<float, Where> image = testing::put_image(backend, field.shape, field.pixels);
  return testing::look_above(backend, image, estimate_mesh(image, config, where), where);
}

template <class Where>
class MeshParity : public StageTest<Where> {};
TYPED_TEST_SUITE(MeshParity, Backends);

TYPED_TEST(MeshParity, EveryNodePixelAndRunEqualsOneThreadToTheLastBit) {
  std::size_t runs = 0;
  for (const Field& field : testing::parity_fields(900)) {
    for (const std::int64_t mesh : {8, 17, 64, 200, 100'000}) {
      for (const std::int64_t filter : {1, 3, 7}) {
        BackgroundConfig config;
        config.mesh_size = mesh;
        config.filter_size = filter;
        config.estimator = filter == 1 ? BackgroundEstimator::median : BackgroundEstimator::sextractor;
        const SkyOnHost one = run_mesh(Backend<Cpu>(), field, Cpu{1}, config);
        const SkyOnHost other = run_mesh(this->backend(), field, this->where(), config);
        expect_same(other, one, field.name + ", meshes of " + std::to_string(mesh));
        runs += one.runs.size();
      }
    }
  }
  EXPECT_GT(runs, static_cast<std::size_t>(testing::share(100'000)));
}

TYPED_TEST(MeshParity, ASecondMeshInUnitsOfTheFirstIsThatOfOneThreadToTheLastBit) {
  const auto second = [](const auto& backend, const Field& field, const auto& where, const BackgroundConfig& config) {
    const auto image = testing::put_image(backend, field.shape, field.pixels);
    const auto first = estimate_mesh(image, config, where);
    return testing::look_above(
        backend, image,
        estimate_mesh(mask_bright(image, first.mesh, {4, 3}, where), config, where, {&first.mesh, 1.01}), where);
  };
  for (const Field& field : testing::parity_fields(900))
    for (const std::int64_t filter : {1, 5, 9}) {
      BackgroundConfig config;
      config.mesh_size = 40;
      config.filter_size = filter;
      expect_same(second(this->backend(), field, this->where(), config), second(Backend<Cpu>(), field, Cpu{1}, config),
                  field.name + ", a second mesh");
    }
}

TYPED_TEST(MeshParity, ASurfaceThroughMeshesWithoutLightIsThatOfOneThreadToTheLastBit) {
  const auto smooth = [](const auto& backend, const Field& field, const auto& where, const BackgroundConfig& config) {
    const auto image = testing::put_image(backend, field.shape, field.pixels);
    const auto first = estimate_mesh(image, config, where);
    return testing::look_above(
        backend, image, estimate_mesh(mask_light(image, first.mesh, where), config, where, {&first.mesh, 1.01}), where);
  };
  for (const Field& field : testing::parity_fields(900))
    for (const Shape mesh : {Shape{16, 16}, Shape{17, 40}, Shape{100'000, 24}, Shape{100'000, 100'000}}) {
      BackgroundConfig config;
      config.mesh_size = mesh.width;
      config.mesh_height = mesh.height;
      config.surface = BackgroundSurface::quadric;
      expect_same(smooth(this->backend(), field, this->where(), config), smooth(Backend<Cpu>(), field, Cpu{1}, config),
                  field.name + ", a surface through meshes of " + std::to_string(mesh.width));
    }
}

TYPED_TEST(MeshParity, TheNoiseOfAFilteredImageIsThatOfOneThreadToTheLastBit) {
  std::size_t runs = 0;
  const auto noise_of = [](const auto& backend, const Field& field, const auto& where, const BackgroundConfig& config) {
    const auto image = testing::put_image(backend, field.shape, field.pixels);
    const auto sky = estimate_mesh(image, config, where);
    const auto above = subtract_sky(image, sky.mesh, where);
    // The image stands for its filtered self: any will do. Some count as negated.
    const bool negated = config.mesh_size % 2 == 1;
    const auto clipped = [&] { return estimate_background(above, config, where); };
    return testing::look_above(
        backend, above, lower_noise(above, sky.mesh, sky.background, 0.3, negated, clipped, config, where), where);
  };
  for (const Field& field : testing::parity_fields(900)) {
    for (const Shape mesh : {Shape{8, 8}, Shape{17, 31}, Shape{64, 64}, Shape{200, 33}, Shape{100'000, 100'000}}) {
      BackgroundConfig config;
      config.mesh_size = mesh.width;
      config.mesh_height = mesh.height;
      const SkyOnHost one = noise_of(Backend<Cpu>(), field, Cpu{1}, config);
      const SkyOnHost other = noise_of(this->backend(), field, this->where(), config);
      expect_same(other, one, field.name + ", filtered noise of " + std::to_string(mesh.width));
      runs += one.runs.size();
    }
  }
  EXPECT_GT(runs, static_cast<std::size_t>(testing::share(10'000)));
}

TYPED_TEST(MeshParity, OblongMeshesAndFiltersAreThoseOfOneThreadToTheLastBit) {
  for (const Field& field : testing::parity_fields(900)) {
    for (const Shape mesh : {Shape{128, 48}, Shape{9, 200}, Shape{200, 9}, Shape{100'000, 17}, Shape{17, 100'000}}) {
      for (const Shape filter : {Shape{3, 5}, Shape{7, 1}}) {
        BackgroundConfig config;
        config.mesh_size = mesh.width;
        config.mesh_height = mesh.height;
        config.filter_size = filter.width;
        config.filter_height = filter.height;
        const std::string name = std::to_string(mesh.width) + " x " + std::to_string(mesh.height);
        const SkyOnHost one = run_mesh(Backend<Cpu>(), field, Cpu{1}, config);
        const SkyOnHost other = run_mesh(this->backend(), field, this->where(), config);
        expect_same(other, one, field.name + ", meshes of " + name);
      }
    }
  }
}

}  // namespace
}  // namespace srcextract
