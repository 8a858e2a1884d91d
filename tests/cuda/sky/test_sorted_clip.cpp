#include <cmath>
#include <limits>
#include <random>

#include "stages/sky/background.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "tests/cuda/sky/sorted_clip.hpp"

namespace srcextract {
namespace {

using testing::Field;

class SortedClip : public testing::StageTest<Gpu> {
 protected:
  void expect_same(const Field& field, const BackgroundConfig& config) {
    const Background got = fetch(estimate_background(image(field.shape, field.pixels), config, where()), where());
    const testing::SortedClip want = testing::sorted_clip(field.pixels, config.kappa, config.max_iterations);
    const std::string what =
        field.name + ", kappa " + std::to_string(config.kappa) + ", at most " + std::to_string(config.max_iterations);
    EXPECT_EQ(got.clipped.count, want.count) << what;
    EXPECT_EQ(got.clipped.median, want.median) << what;
    EXPECT_EQ(got.clipped.min, want.min) << what;
    EXPECT_EQ(got.clipped.max, want.max) << what;
    EXPECT_EQ(got.iterations, want.iterations) << what;
    EXPECT_EQ(got.converged, want.converged) << what;
    EXPECT_NEAR(got.clipped.mean, want.mean, 1e-9 * want.sigma) << what;
    EXPECT_NEAR(got.clipped.sigma, want.sigma, 1e-9 * want.sigma) << what;
  }
};

/// Large enough for every block of the clip to have several tiles; stars in all densities, whole numbers, whole numbers
/// times ten, of which a cell of the clip holds many equal ones, and holes in every other row. Sets that shrink for
/// ever, as with a kappa below the root of 3, end where running sums in double have no digits left.
TEST_F(SortedClip, IsWhatTheClipFinds) {
  std::vector<Field> fields;
  for (const std::int64_t pixels_per_star : {20, 1000, 100000}) {
    fields.push_back(testing::star_field({2500, 2311}, 1000, 10, pixels_per_star, 11));
    fields.back().name = "a star in " + std::to_string(pixels_per_star) + " pixels";
  }
  for (const float step : {1.0F, 10.0F}) {
    Field rounded = fields[1];
    rounded.name += ", steps of " + std::to_string(step);
    for (float& pixel : rounded.pixels) pixel = step * std::round(pixel / step);
    fields.push_back(rounded);
  }
  Field masked = fields[1];
  masked.name += ", masked in part";
  for (std::size_t i = 0; i < masked.pixels.size(); ++i) {
    if (i / 2500 % 2 == 0 && i % 7 == 0) masked.pixels[i] = std::numeric_limits<float>::quiet_NaN();
  }
  fields.push_back(masked);
  for (const Field& field : fields) {
    for (const double kappa : {2.0, 3.0, 5.0}) expect_same(field, {.kappa = kappa});
    expect_same(field, {.kappa = 1.5, .max_iterations = 3});
  }
}

}  // namespace
}  // namespace srcextract
#endif
