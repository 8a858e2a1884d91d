#include "stages/measure/area_above.hpp"

#include <random>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

template <class Where>
class AreaAbove : public StageTest<Where> {
 protected:
  Runs<Where> runs_above(const Field& field, double level) {
    return find_runs(this->image(field.shape, field.pixels), testing::put_levels(this->backend(), level),
                     this->where());
  }
};
TYPED_TEST_SUITE(AreaAbove, Backends);

/// Smooth in places, so that there are sources of many runs.
Field rolling_field(Shape shape, unsigned seed) {
  Field field{"rolling", shape, std::vector<float>(static_cast<std::size_t>(shape.count()))};
  std::mt19937 random(seed);
  std::normal_distribution<float> noise(0, 1);
  float last = 0;
  for (float& pixel : field.pixels) pixel = last = 0.7F * last + noise(random);
  return field;
}

/// Pixel by pixel, from the label map.
TYPED_TEST(AreaAbove, IsThatOfTheLabelMap) {
  DetectionConfig config;
  for (const Shape shape : {Shape{1, 1}, Shape{31, 7}, Shape{64, 64}, Shape{257, 300}}) {
    const Field found = rolling_field(shape, 1), measured = rolling_field(shape, 2);
    for (const std::int64_t min_area : {1, 4}) {
      config.min_area = min_area;
      const auto runs = this->runs_above(found, 0.8);
      const auto components = label_components(runs, config, this->where());
      const auto kept = fetch(components.counts, this->where()).kept;
      const auto labels = testing::get_labels(this->backend(), runs, components);
      const auto all = testing::get_runs(this->backend(), runs);
      for (const double level : {-9.0, -0.5, 1.0, 9.0}) {
        std::vector<std::int64_t> truth(static_cast<std::size_t>(kept), 0);
        std::int64_t counted = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          for (std::int64_t x = all[i].begin; labels[i] > 0 && x < all[i].end; ++x) {
            const bool above = measured.pixels[static_cast<std::size_t>(all[i].y * shape.width + x)] > level;
            truth[static_cast<std::size_t>(labels[i] - 1)] += above ? 1 : 0;
            counted += above ? 1 : 0;
          }
        }
        const auto area = area_above(runs, components, this->runs_above(measured, level), this->where());
        EXPECT_EQ(this->backend().get(area, kept), truth) << shape.width << ", " << min_area << ", " << level;
        if (shape.width > 200 && level < 2) {
          EXPECT_GT(counted, 1000);
        }
      }
    }
  }
}

}  // namespace
}  // namespace srcextract
