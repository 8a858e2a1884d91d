// Components that need a seed, what of them is above the analysis threshold, the matched filter, and thresholds by a
// rate of false discoveries: CPU and CUDA bodies on the same input, to the last bit. Where no GPU is, the CPU stands
// against itself on another number of threads.
#include <numeric>

#include "pipeline/chain/detect_sources.hpp"
#include "tests/parity/parity_support.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::ComponentsOnHost;
using testing::Field;
using testing::same_bytes;
using testing::StageTest;

struct SeedFound {
  Levels levels;
  std::vector<Run> seeds, analysed;
  ComponentsOnHost components;
  std::vector<std::int64_t> areas;
  std::vector<float> match;
};

/// What the steps find in a field, or in its negative; where `varies` the variance of its pixels is known.
template <class Where>
SeedFound find(const Backend<Where>& backend, const Field& field, const Where& where, const Config& config, bool varies,
               bool negated) {
  const MaskCounts some{.nan = 1};  // that there may be masked pixels
  auto pixels = testing::put_pixels(backend, field.shape, field.pixels, some);
  if (negated) negate(pixels.image, where);
  if (varies) {
    std::vector<float> variance;
    for (std::int64_t i = 0; i < field.shape.count(); ++i)
      variance.push_back(0.5F + static_cast<float>(i % field.shape.width % 89) / 60);
    pixels.variance = testing::put_image(backend, field.shape, variance);
  }
  const auto found = detect_sources(pixels, config, where, [](const char*) {});
  return {fetch(found.levels, where),
          config.detection.seed == 0 ? std::vector<Run>() : testing::get_runs(backend, found.seeds),
          testing::get_runs(backend, found.analysed),
          testing::get_components(backend, found.runs, found.components, found.sums),
          backend.get(found.areas, fetch(found.components.counts, where).kept),
          backend.get(found.match.pixels)};
}

void expect_same(const SeedFound& a, const SeedFound& b, const std::string& name) {
  EXPECT_EQ(a.levels, b.levels) << name;
  EXPECT_TRUE(same_bytes(a.seeds, b.seeds)) << name << ": seeds";
  expect_same(a.components, b.components, name);
  EXPECT_TRUE(same_bytes(a.analysed, b.analysed)) << name << ": above the analysis threshold";
  EXPECT_TRUE(same_bytes(a.areas, b.areas)) << name << ": areas";
  EXPECT_TRUE(same_bytes(a.match, b.match)) << name << ": match";
}

std::vector<Config> seed_configurations() {
  std::vector<Config> all;
  for (const BackgroundMethod method : {BackgroundMethod::constant, BackgroundMethod::mesh}) {
    Config config;
    config.background.method = method;
    config.background.mesh_size = 32;
    config.detection.threshold = 1;
    config.detection.seed = 3;
    config.detection.analysis_threshold = 1.75;
    all.push_back(config);
    config.detection.connectivity = 4;
    config.detection.min_area = 1;
    config.convolve.kernel = KernelShape::tophat;
    config.convolve.radius = 1;
    config.detection.threshold_unit = ThresholdUnit::detection_sigma;
    all.push_back(config);
    config.morphology.operation = MorphologicalOperation::erosion;
    all.push_back(config);
    config.morphology = {};
    config.detection.threshold_unit = ThresholdUnit::sigma;
    config.convolve.filter = Filter::matched;
    all.push_back(config);
    config.detection.false_discovery_rate = 0.2;
    all.push_back(config);
    config.convolve = {};
    config.detection.correlated_pixels = 9;
    all.push_back(config);
  }
  return all;
}

template <class Where>
class SeedParity : public StageTest<Where> {};
TYPED_TEST_SUITE(SeedParity, Backends);

TYPED_TEST(SeedParity, EveryStageEqualsOneThreadToTheLastBit) {
  std::int64_t kept = 0, lost = 0, in_areas = 0;
  for (const Field& field : testing::parity_fields(300)) {
    for (Config config : seed_configurations()) {
      const bool fits = field.shape.width > 8 && field.shape.height > 8;
      if (!fits) config.convolve = {};
      for (const bool varies : {false, true}) {
        for (const bool negated : {false, true}) {
          if (testing::sanitized && varies != negated) continue;
          if (varies) config.weights.type = WeightType::variance;
          const SeedFound one = find(Backend<Cpu>(), field, Cpu{1}, config, varies, negated);
          expect_same(find(this->backend(), field, this->where(), config, varies, negated), one, field.name);
          kept += one.components.counts.kept;
          in_areas += std::accumulate(one.areas.begin(), one.areas.end(), std::int64_t{0});
          if (varies || negated) continue;
          Config without = config;
          without.detection.seed = 0;
          lost += find(Backend<Cpu>(), field, Cpu{3}, without, varies, negated).components.counts.found -
                  one.components.counts.found;
        }
      }
    }
  }
  EXPECT_GT(kept, testing::share(10'000));
  EXPECT_GT(lost, testing::share(5'000));
  EXPECT_GT(in_areas, testing::share(100'000));
}

}  // namespace
}  // namespace srcextract
