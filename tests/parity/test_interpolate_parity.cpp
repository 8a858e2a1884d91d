// Interpolation of bad pixels: CPU and CUDA bodies on the same gaps, to the last bit. Where no GPU is, the CPU stands
// against itself on another number of threads.
#include <cmath>

#include "stages/weights/interpolate.hpp"
#include "stages/weights/weights.hpp"
#include "tests/parity/parity_support.hpp"
#include "tests/support/gaps.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::same_bytes;
using testing::StageTest;

struct InterpolateResults {
  std::vector<float> image, variance, kept, filled, filled_variance;
};

/// From a map with gaps to the image without.
template <class Where>
InterpolateResults run_interpolation(const Backend<Where>& backend, const testing::Gaps& gaps, const Where& where,
                                     const WeightsConfig& config) {
  auto pixels = testing::put_pixels(backend, gaps.image.shape, gaps.image.pixels);
  apply_weights(testing::put_image(backend, gaps.image.shape, gaps.variances), config, pixels, where);
  const Image<float, Where>& from = pixels.kept.pixels.empty() ? pixels.image : pixels.kept;
  const Interpolated<Where> filled = interpolate_bad(from, pixels.variance, config, where);
  return {backend.get(pixels.image.pixels), backend.get(pixels.variance.pixels), backend.get(pixels.kept.pixels),
          backend.get(filled.image.pixels), backend.get(filled.variance.pixels)};
}

template <class Where>
class InterpolateParity : public StageTest<Where> {};
TYPED_TEST_SUITE(InterpolateParity, Backends);

TYPED_TEST(InterpolateParity, EveryPixelEqualsOneThreadToTheLastBit) {
  std::vector<Shape> shapes(std::begin(testing::gap_shapes), std::end(testing::gap_shapes));
  shapes.push_back({1031, testing::share(700)});
  std::int64_t filled = 0;
  for (const Shape& shape : shapes) {
    for (int kind = 0; kind < testing::kinds_of_gaps; ++kind) {
      const testing::Gaps gaps = testing::gaps(shape, kind, static_cast<unsigned>(shape.width) + 3);
      for (const Interpolate what : {Interpolate::variance, Interpolate::all}) {
        for (const std::int64_t most : {0, 1, 16, 1000}) {
          WeightsConfig config;
          config.type = WeightType::variance;
          config.interpolate = what;
          config.interpolate_columns = most;
          config.interpolate_rows = most == 1 ? 7 : most;
          if (most == 16) {
            config.threshold = 1.5;
            config.beyond = BeyondThreshold::detect;
          }
          const InterpolateResults one = run_interpolation(Backend<Cpu>(), gaps, Cpu{1}, config);
          const InterpolateResults other = run_interpolation(this->backend(), gaps, this->where(), config);
          const std::string name = gaps.image.name + ", at most " + std::to_string(most);
          EXPECT_TRUE(same_bytes(other.image, one.image)) << name << ": pixels";
          EXPECT_TRUE(same_bytes(other.variance, one.variance)) << name << ": variances";
          EXPECT_TRUE(same_bytes(other.kept, one.kept)) << name << ": kept pixels";
          EXPECT_TRUE(same_bytes(other.filled, one.filled)) << name << ": filled pixels";
          EXPECT_TRUE(same_bytes(other.filled_variance, one.filled_variance)) << name << ": filled variances";
          for (std::size_t i = 0; i < one.filled.size(); ++i)
            filled += std::isnan(one.variance[i]) && !std::isnan(one.filled[i]) ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(filled, testing::share(1'000'000));
}

}  // namespace
}  // namespace srcextract
