// CPU and CUDA bodies on the same input, stage by stage: equal to the last bit. Where no GPU is, the CPU stands against
// itself on another number of threads, which must change nothing either.
#include <functional>
#include <random>

#include "stages/measure/columns.hpp"
#include "tests/parity/parity_support.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::ComponentsOnHost;
using testing::Field;
using testing::same_bytes;
using testing::StageTest;

/// Everything that the stages make of one field, on the host.
struct StepResults {
  Background background;
  std::vector<std::int64_t> row_begin;
  ComponentsOnHost components;
};

template <class Where>
StepResults run(const Backend<Where>& backend, const Field& field, const Where& where, const DetectionConfig& detection,
                double sigmas) {
  const Image<float, Where> image = testing::put_image(backend, field.shape, field.pixels);
  StepResults r;
  r.background = fetch(estimate_background(image, {}, where), where);
  const Statistics& sky = r.background.clipped;
  const auto levels = testing::put_levels(backend, sky.median + sigmas * sky.sigma, sky.median);
  const auto runs = find_runs(image, levels, where);
  const auto components = label_components(runs, detection, where);
  r.row_begin = backend.get(runs.row_begin);
  const auto masked = backend.put_value(MaskCounts{.nan = 1});  // that there may be masked pixels
  r.components = testing::get_components(backend, runs, components,
                                         measure_sources(image, runs, components, levels, masked, where));
  return r;
}

void expect_same(const StepResults& a, const StepResults& b, const std::string& name) {
  EXPECT_EQ(a.background, b.background) << name;
  EXPECT_TRUE(same_bytes(a.row_begin, b.row_begin)) << name << ": row_begin";
  expect_same(a.components, b.components, name);
}

template <class Where>
class Parity : public StageTest<Where> {};
TYPED_TEST_SUITE(Parity, Backends);

TYPED_TEST(Parity, EveryStageEqualsOneThreadToTheLastBit) {
  auto fields = testing::hostile_fields();
  fields.push_back(testing::star_field({2048, testing::share(1999)}, 1000, 12, testing::share(900), 77));
  std::size_t sources = 0;
  for (const Field& field : fields) {
    for (const std::int64_t connectivity : {4, 8}) {
      for (const double sigmas : {1.0, 5.0}) {
        DetectionConfig detection;
        detection.connectivity = connectivity;
        detection.min_area = connectivity == 4 ? 1 : 5;
        const StepResults reference = run(Backend<Cpu>(), field, Cpu{1}, detection, sigmas);
        expect_same(run(this->backend(), field, this->where(), detection, sigmas), reference, field.name);
        sources += reference.components.sums.size();
      }
    }
  }
  EXPECT_GT(sources, static_cast<std::size_t>(testing::share(100'000)));
}

TYPED_TEST(Parity, RunsLongerThanAnyLevelOfTheOrderedSumHaveTheSameSums) {
  constexpr std::int64_t width = 64 * 64 * 64 + 64 * 64 + 65;
  Field field{"very long row", {width, 3}, {}};
  std::mt19937 random(3);
  std::normal_distribution<float> noise(10, 1);
  for (std::int64_t i = 0; i < field.shape.count(); ++i) field.pixels.push_back(i / width == 1 ? noise(random) : 0);
  DetectionConfig detection;
  const StepResults reference = run(Backend<Cpu>(), field, Cpu{1}, detection, 1);
  ASSERT_EQ(reference.components.runs.size(), 1U);
  expect_same(run(this->backend(), field, this->where(), detection, 1), reference, field.name);
}

TYPED_TEST(Parity, RunsAfterEachOtherGiveTheSame) {
  const Field field = testing::random_mask({1500, 1100}, 0.45, 5);
  DetectionConfig detection;
  detection.min_area = 1;
  const StepResults first = run(this->backend(), field, this->where(), detection, 0.1);
  ASSERT_GT(first.components.sums.size(), 1000U);
  for (int repeat = 0; repeat < 20; ++repeat) {
    expect_same(run(this->backend(), field, this->where(), detection, 0.1), first, "repeat");
  }
}

}  // namespace
}  // namespace srcextract
