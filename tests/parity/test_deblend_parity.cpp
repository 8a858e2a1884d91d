// Deblending: CPU and CUDA bodies on the same input, to the last bit. Where no GPU is, the CPU stands against itself on
// another number of threads; what a device does is then shown by tests/stages/deblend/test_shared_deblend.cpp.
#include <algorithm>
#include <type_traits>

#include "pipeline/chain/detect_sources.hpp"
#include "tests/parity/parity_support.hpp"
#include "tests/support/crowded_islands.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::ComponentsOnHost;
using testing::Field;
using testing::same_bytes;
using testing::StageTest;

struct DeblendFound {
  std::int64_t islands = 0;
  ComponentsOnHost components;
  std::vector<Parentage> parentage;
};

void expect_same(const DeblendFound& a, const DeblendFound& b, const std::string& name) {
  EXPECT_EQ(a.islands, b.islands) << name;
  expect_same(a.components, b.components, name);
  EXPECT_TRUE(a.parentage == b.parentage) << name << ": parentage";
}

Levels low_levels_above_sky() {
  Levels levels;
  levels.detection = levels.in_noise = 1;
  levels.background = 0.125;
  return levels;
}

/// The sources of a field above 1, deblended; where `varies` thresholds follow the variance of the pixels.
template <class Where>
DeblendFound divide(const Backend<Where>& backend, const Field& field, const Where& where, const Config& config,
                    bool varies) {
  const auto image = testing::put_image(backend, field.shape, field.pixels);
  std::vector<float> brighter = field.pixels, variances;
  for (std::size_t i = 0; i < brighter.size(); i += 3) brighter[i] *= 1.25F;
  for (std::size_t i = 0; i < brighter.size(); ++i) variances.push_back(0.5F + static_cast<float>(i % 89) / 60);
  const auto measured = testing::put_image(backend, field.shape, brighter);
  const auto variance = testing::put_image(backend, field.shape, variances);
  const auto levels = backend.put_value(low_levels_above_sky());
  const auto masked = backend.put_value(MaskCounts{});
  const auto runs = varies ? find_runs(image, levels, variance, where) : find_runs(image, levels, where);
  const auto islands = label_components(runs, config.detection, where);
  const DeblendImages<Where> images{image, measured, levels, {nullptr, varies ? &variance : nullptr}};
  const auto found = deblend_sources(images, runs, islands, config, where);
  const auto sums = measure_sources(measured, found.runs, found.components, levels, masked, where);
  return {fetch(islands.counts, where).kept, testing::get_components(backend, found.runs, found.components, sums),
          backend.get(found.parentage, fetch(found.components.counts, where).kept)};
}

std::vector<Config> deblend_configurations() {
  std::vector<Config> all;
  for (const std::int64_t min_area : {1, 3, 5, 8})
    for (const std::int64_t thresholds : {2, 32, 64, 256})
      for (const double contrast : {0.0, 0.005, 1.0}) {
        Config config;
        config.detection.min_area = min_area;
        config.detection.connectivity = all.size() % 2 == 0 ? 8 : 4;
        config.deblend = {DeblendMethod::tree, thresholds, contrast};
        all.push_back(config);
      }
  return all;
}

Config eager() {
  Config config;
  config.detection.min_area = 1;
  config.deblend = {DeblendMethod::tree, 32, 0};
  return config;
}

template <class Where>
class DeblendParity : public StageTest<Where> {};
TYPED_TEST_SUITE(DeblendParity, Backends);

TYPED_TEST(DeblendParity, SmallIslandsOfEveryKindEqualOneThreadToTheLastBit) {
  std::int64_t more = 0;
  unsigned seed = 1;
  for (const Config& config : deblend_configurations()) {
    const bool varies = seed % 4 == 1;
    for (const Field& field : testing::crowded_islands(41, seed++)) {
      const DeblendFound one = divide(Backend<Cpu>(), field, Cpu{1}, config, varies);
      expect_same(divide(this->backend(), field, this->where(), config, varies), one, field.name);
      more += one.components.counts.kept - one.islands;
    }
  }
  EXPECT_GT(more, 5000);
}

TYPED_TEST(DeblendParity, LargeIslandsEqualOneThreadToTheLastBit) {
  std::int64_t more = 0;
  for (const Field& field : testing::crowded_islands(testing::share(600), 9)) {
    const DeblendFound one = divide(Backend<Cpu>(), field, Cpu{1}, eager(), false);
    for (int again = 0; again < 3; ++again)  // in another order
      expect_same(divide(this->backend(), field, this->where(), eager(), false), one, field.name);
    more += one.components.counts.kept - one.islands;
  }
  EXPECT_GT(more, testing::share(10'000));
}

TYPED_TEST(DeblendParity, EveryStageOfAFieldEqualsOneThreadToTheLastBit) {
  Config config;
  config.detection.threshold = 1.5;
  config.deblend = {DeblendMethod::tree, 32, 0.005};
  for (const bool by_mesh : {false, true}) {
    config.background.method = by_mesh ? BackgroundMethod::mesh : BackgroundMethod::constant;
    config.background.mesh_size = 32;
    for (const Field& field : testing::parity_fields(300)) {
      const auto find = [&](const auto& backend, const auto& where) {
        const auto pixels = testing::put_pixels(backend, field.shape, field.pixels, {.nan = 1});
        const auto found = detect_sources(pixels, config, where, [](const char*) {});
        return DeblendFound{fetch(found.islands.counts, where).kept,
                            testing::get_components(backend, found.runs, found.components, found.sums),
                            backend.get(found.parentage, fetch(found.components.counts, where).kept)};
      };
      expect_same(find(this->backend(), this->where()), find(Backend<Cpu>(), Cpu{1}), field.name);
    }
  }
}

/// A device has room for so much. Whatever does not fit is told, and once there is room for it all is as it should be.
TYPED_TEST(DeblendParity, TooLittleRoomIsTold) {
  if constexpr (!std::is_same_v<TypeParam, Cpu>) {
    for (const Field& field : testing::crowded_islands(80, 5)) {
      const DeblendFound right = divide(Backend<Cpu>(), field, Cpu{1}, eager(), false);
      const auto runs = static_cast<std::int64_t>(right.components.runs.size());
      if (runs < 4 || right.components.counts.kept < 4) continue;
      for (const Capacity& room :
           {Capacity{runs / 2 + 1, runs}, Capacity{runs, right.components.counts.kept / 2 + 1},
            Capacity{runs / 5 + 1, runs / 9 + 1}, Capacity{2 * runs + 64, 2 * runs + 64, runs / 2}}) {
        TypeParam where = this->where();
        where.capacity = room;
        const Field& same = field;
        const auto image = testing::put_image(this->backend(), same.shape, same.pixels);
        const auto levels = this->backend().put_value(low_levels_above_sky());
        const auto found_runs = find_runs(image, levels, where);
        const auto islands = label_components(found_runs, eager().detection, where);
        const auto found = deblend_sources({image, image, levels, {}}, found_runs, islands, eager(), where);
        const std::int64_t needed_runs = std::max(testing::count_runs(this->backend(), found_runs),
                                                  testing::count_runs(this->backend(), found.runs));
        const std::int64_t needed_sources =
            std::max(fetch(islands.counts, where).kept, fetch(found.components.counts, where).kept);
        EXPECT_TRUE(needed_runs > room.runs || needed_sources > room.sources) << field.name;
      }
      TypeParam where = this->where();
      where.capacity = {2 * runs + 64, 2 * right.components.counts.kept + 64};
      expect_same(divide(this->backend(), field, where, eager(), false), right, field.name);
    }
  }
}

/// Deblended sources need not be connected: one here has its runs in a few rows far from one another.
TYPED_TEST(DeblendParity, SourcesThatAreScatteredAreMeasuredInTheirOrder) {
  const Shape shape{300, 900};
  const Field field = testing::star_field(shape, 10, 3, 200, 4);
  const auto measure = [&](const auto& backend, const auto& where) {
    const auto image = testing::put_image(backend, shape, field.pixels);
    std::vector<Run> runs;
    std::vector<std::int32_t> labels;
    std::vector<std::int64_t> row_begin;
    for (std::int32_t y = 0; y < shape.height; ++y) {
      row_begin.push_back(std::ssize(runs));
      if (y % 97 > 4) continue;
      for (std::int32_t x = y % 3; x + 70 < shape.width; x += 3 + (x % 5 == 0 ? 66 : 0)) {
        runs.push_back({y, x, x + 2 + (x % 5 == 0 ? 65 : 0)});
        labels.push_back(static_cast<std::int32_t>(x % 4 == 0 ? 1 : y < 300 ? 2 : 3));
      }
    }
    row_begin.push_back(std::ssize(runs));
    std::decay_t<decltype(label_components({shape, backend.put(runs), backend.put(row_begin)}, {}, where))> components;
    components.label = backend.put(labels);
    components.counts = backend.put_value(ComponentCounts{3, 3});
    const auto sums = measure_sources(image, {shape, backend.put(runs), backend.put(row_begin)}, components,
                                      testing::put_levels(backend, 1, 0.5), backend.put_value(MaskCounts{}), where);
    return backend.get(sums, 3);
  };
  const std::vector<SourceSums> right = measure(Backend<Cpu>(), Cpu{1});
  EXPECT_LT(right[0].npix, std::int64_t{64} * shape.height);
  EXPECT_TRUE(same_bytes(measure(this->backend(), this->where()), right));
}

}  // namespace
}  // namespace srcextract
