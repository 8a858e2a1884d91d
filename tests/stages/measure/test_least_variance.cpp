#include "stages/measure/least_variance.hpp"

#include <limits>
#include <random>

#include "stages/sky/map_of_mesh.hpp"
#include "stages/sky/mesh.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

template <class Where>
class LeastVariance : public StageTest<Where> {};
TYPED_TEST_SUITE(LeastVariance, Backends);

/// Pixel by pixel, from the label map.
TYPED_TEST(LeastVariance, IsThatOfTheLabelMap) {
  std::mt19937 random(7);
  std::normal_distribution<float> noise(0, 1);
  for (const Shape shape : {Shape{1, 1}, Shape{31, 7}, Shape{257, 300}}) {
    Field field{"field", shape, std::vector<float>(static_cast<std::size_t>(shape.count()))}, map = field;
    for (float& pixel : field.pixels) pixel = noise(random);
    for (float& variance : map.pixels) variance = std::abs(noise(random));
    DetectionConfig config;
    config.min_area = 2;
    const auto runs =
        find_runs(this->image(shape, field.pixels), testing::put_levels(this->backend(), 0.3), this->where());
    const auto components = label_components(runs, config, this->where());
    const auto kept = fetch(components.counts, this->where()).kept;
    const auto labels = testing::get_labels(this->backend(), runs, components);
    const auto all = testing::get_runs(this->backend(), runs);
    std::vector<double> truth(static_cast<std::size_t>(kept), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::int64_t x = all[i].begin; labels[i] > 0 && x < all[i].end; ++x) {
        double& least = truth[static_cast<std::size_t>(labels[i] - 1)];
        least = std::min<double>(least, map.pixels[static_cast<std::size_t>(all[i].y * shape.width + x)]);
      }
    }
    const auto least = least_variance(this->image(shape, map.pixels), runs, components, this->where());
    EXPECT_EQ(this->backend().get(least, kept), truth) << shape.width;
    if (shape.width > 200) {
      EXPECT_GT(kept, 500);
    }
  }
}

/// Pixel by pixel, from the rms that the mesh has there.
TYPED_TEST(LeastVariance, IsThatOfTheMesh) {
  std::mt19937 random(8);
  std::normal_distribution<float> noise(0, 1);
  for (const Shape shape : {Shape{31, 7}, Shape{257, 300}}) {
    Field field{"field", shape, std::vector<float>(static_cast<std::size_t>(shape.count()))};
    const auto width = static_cast<std::size_t>(shape.width);
    for (std::size_t i = 0; i < field.pixels.size(); ++i)
      field.pixels[i] = noise(random) * (1 + 3 * static_cast<float>(i % width) / static_cast<float>(width));
    BackgroundConfig by_mesh;
    by_mesh.method = BackgroundMethod::mesh;
    by_mesh.mesh_size = 32;
    const auto image = this->image(shape, field.pixels);
    const auto sky = estimate_mesh(image, by_mesh, this->where());
    Image<float, Cpu> here;
    here.shape = shape;
    here.pixels = testing::Backend<Cpu>().put(field.pixels);
    const auto on_host = estimate_mesh(here, by_mesh, Cpu{});
    DetectionConfig config;
    config.min_area = 2;
    const auto runs = find_runs(image, testing::put_levels(this->backend(), 3), this->where());
    const auto components = label_components(runs, config, this->where());
    const auto kept = fetch(components.counts, this->where()).kept;
    const auto labels = testing::get_labels(this->backend(), runs, components);
    const auto all = testing::get_runs(this->backend(), runs);
    std::vector<double> truth(static_cast<std::size_t>(kept), std::numeric_limits<double>::infinity());
    MapOfMesh rms = MapOfMesh::of_rms(on_host.mesh);
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::int64_t x = all[i].begin; labels[i] > 0 && x < all[i].end; ++x) {
        double& least = truth[static_cast<std::size_t>(labels[i] - 1)];
        const float one = rms.at(x, all[i].y);
        least = std::min<double>(least, one * one);
      }
    }
    const auto least = least_variance(sky.mesh, runs, components, this->where());
    EXPECT_EQ(this->backend().get(least, kept), truth) << shape.width;
    if (shape.width > 200) {
      EXPECT_GT(kept, 500);
    }
  }
}

}  // namespace
}  // namespace srcextract
