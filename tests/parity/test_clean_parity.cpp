// CLEAN: CPU and CUDA bodies on the same input, to the last bit. Where no GPU is, the CPU stands against itself on
// another number of threads; what a device does is then shown by tests/stages/clean/test_shared_cleaning.cpp.
#include <algorithm>

#include "pipeline/chain/detect_sources.hpp"
#include "tests/parity/parity_support.hpp"
#include "tests/support/ways_to_clean.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::ComponentsOnHost;
using testing::Field;
using testing::same_bytes;
using testing::StageTest;

struct CleanedOnHost {
  std::int64_t before = 0;
  ComponentsOnHost components;
  std::vector<Parentage> parentage;
  std::vector<SourceSums> own_sums;
  std::vector<std::int32_t> own;
  std::vector<std::int32_t> absorbed;
  std::vector<std::int32_t> owners;
};

void expect_same(const CleanedOnHost& a, const CleanedOnHost& b, const std::string& name) {
  EXPECT_EQ(a.before, b.before) << name;
  expect_same(a.components, b.components, name);
  EXPECT_TRUE(a.parentage == b.parentage) << name << ": parentage";
  EXPECT_TRUE(same_bytes(a.own_sums, b.own_sums)) << name << ": own sums";
  EXPECT_TRUE(same_bytes(a.own, b.own)) << name << ": own labels";
  EXPECT_TRUE(same_bytes(a.absorbed, b.absorbed)) << name << ": absorbed";
  EXPECT_TRUE(same_bytes(a.owners, b.owners)) << name << ": as apertures see it";
}

template <class Where>
CleanedOnHost get_cleaned(const Backend<Where>& backend, std::int64_t before, const Runs<Where>& runs,
                          const Components<Where>& components, const Buffer<Parentage, Where>& parentage,
                          const Cleaned<Where>& cleaned, const Buffer<SourceSums, Where>& sums, const Where& where) {
  const std::int64_t left = fetch(components.counts, where).kept;
  CleanedOnHost here{before,
                     testing::get_components(backend, runs, components, sums),
                     backend.get(parentage, left),
                     backend.get(cleaned.own_sums, left),
                     testing::get_labels(backend, runs, cleaned.own),
                     {},
                     backend.get(map_owners(runs, cleaned.own, where, &cleaned.absorbed).pixels)};
  for (const Absorbed one : backend.get(cleaned.absorbed, testing::count_runs(backend, runs)))
    here.absorbed.push_back(static_cast<std::int32_t>(one));
  return here;
}

/// The sources of a field above 1, cleaned; where `varies` thresholds follow the variance of the pixels.
template <class Where>
CleanedOnHost clean_field(const Backend<Where>& backend, const Field& field, const Where& where, const Config& config,
                          bool varies) {
  std::vector<float> brighter = field.pixels, variances;
  for (std::size_t i = 0; i < brighter.size(); i += 3) brighter[i] *= 1.25F;
  for (std::size_t i = 0; i < brighter.size(); ++i) variances.push_back(0.5F + static_cast<float>(i % 89) / 60);
  const auto image = testing::put_image(backend, field.shape, field.pixels);
  const auto measured = testing::put_image(backend, field.shape, brighter);
  const auto variance = testing::put_image(backend, field.shape, variances);
  Levels above_sky;
  above_sky.detection = above_sky.in_noise = 1;
  above_sky.background = 0.125;
  const auto levels = backend.put_value(above_sky);
  const auto masked = backend.put_value(MaskCounts{});
  const auto runs = varies ? find_runs(image, levels, variance, where) : find_runs(image, levels, where);
  const auto islands = label_components(runs, config.detection, where);
  const DeblendImages<Where> images{image, measured, levels, {nullptr, varies ? &variance : nullptr}};
  const bool deblended = config.deblend.method != DeblendMethod::none;
  const auto divided = deblended ? deblend_sources(images, runs, islands, config, where) : Deblended<Where>{};
  const auto& source_runs = deblended ? divided.runs : runs;
  const auto& sources = deblended ? divided.components : islands;
  const auto sums = measure_sources(image, source_runs, sources, levels, masked, where);
  const auto cleaned = clean_sources(
      images, {source_runs, sources, runs, islands, divided.core_pixels, divided.parentage, sums}, config, 3, where);
  const auto all = measure_sources(measured, source_runs, cleaned.components, levels, masked, where);
  return get_cleaned(backend, fetch(sources.counts, where).kept, source_runs, cleaned.components, cleaned.parentage,
                     cleaned, all, where);
}

template <class Where>
class CleanParity : public StageTest<Where> {};
TYPED_TEST_SUITE(CleanParity, Backends);

TYPED_TEST(CleanParity, StarsAndWhatIsInTheirWingsEqualOneThreadToTheLastBit) {
  std::int64_t absorbed = 0;
  testing::for_each_way_to_clean([&](const testing::WayToClean& way) {
    for (const Field& field : way.fields) {
      const CleanedOnHost one = clean_field(Backend<Cpu>(), field, Cpu{1}, way.config, way.varies);
      expect_same(clean_field(this->backend(), field, this->where(), way.config, way.varies), one, field.name);
      absorbed += one.before - one.components.counts.kept;
    }
  });
  EXPECT_GT(absorbed, 300);
}

TYPED_TEST(CleanParity, LargeIslandsEqualOneThreadToTheLastBit) {
  Config config;
  config.deblend = {DeblendMethod::tree, 32, 0};
  config.deblend.clean = true;
  for (const bool varies : {false, true})
    for (const Field& field : testing::crowded_islands(testing::share(500), 19))
      expect_same(clean_field(this->backend(), field, this->where(), config, varies),
                  clean_field(Backend<Cpu>(), field, Cpu{1}, config, varies), field.name);
}

TYPED_TEST(CleanParity, EveryStageOfAFieldEqualsOneThreadToTheLastBit) {
  Config config;
  config.detection.threshold = 1.5;
  config.convolve.fwhm = 3;
  config.deblend = {DeblendMethod::tree, 32, 0.005};
  config.deblend.clean = true;
  for (const bool by_mesh : {false, true}) {
    config.background.method = by_mesh ? BackgroundMethod::mesh : BackgroundMethod::constant;
    config.background.mesh_size = 32;
    std::vector<Field> fields = testing::parity_fields(300);
    for (Field& field : testing::wing_fields(3, {257, 301})) fields.push_back(std::move(field));
    for (const Field& field : fields) {
      const bool holds_kernel = std::min(field.shape.width, field.shape.height) > 20;
      config.convolve.kernel = holds_kernel ? KernelShape::gaussian : KernelShape::none;
      const auto find = [&](const auto& backend, const auto& where) {
        const auto pixels = testing::put_pixels(backend, field.shape, field.pixels, {.nan = 1});
        const auto found = detect_sources(pixels, config, where, [](const char*) {});
        return get_cleaned(backend, 0, found.runs, found.components, found.parentage, found.cleaned, found.sums, where);
      };
      expect_same(find(this->backend(), this->where()), find(Backend<Cpu>(), Cpu{1}), field.name);
    }
  }
}

/// A device has room for so much. Whatever does not fit is told, and nothing beyond the room is touched.
TYPED_TEST(CleanParity, TooLittleRoomIsTold) {
  if constexpr (!std::is_same_v<TypeParam, Cpu>) {
    Config config;
    config.detection.min_area = 2;
    config.deblend = {DeblendMethod::tree, 32, 0};
    config.deblend.clean = true;
    for (const Field& field : testing::wing_fields(8)) {
      const CleanedOnHost right = clean_field(Backend<Cpu>(), field, Cpu{1}, config, false);
      const auto runs = static_cast<std::int64_t>(right.components.runs.size());
      if (right.before < 8) continue;
      const std::int64_t few = right.before / 2;
      TypeParam where = this->where();
      where.capacity = {runs + 8, few};
      const auto image = testing::put_image(this->backend(), field.shape, field.pixels);
      Levels low;
      low.detection = low.in_noise = 1;
      low.background = 0.125;
      const auto levels = this->backend().put_value(low);
      const auto masked = this->backend().put_value(MaskCounts{});
      const auto found = find_runs(image, levels, where);
      const auto islands = label_components(found, config.detection, where);
      const DeblendImages<TypeParam> images{image, image, levels, {}};
      const auto divided = deblend_sources(images, found, islands, config, where);
      const auto sums = measure_sources(image, divided.runs, divided.components, levels, masked, where);
      const auto cleaned = clean_sources(
          images, {divided.runs, divided.components, found, islands, divided.core_pixels, divided.parentage, sums},
          config, 3, where);
      EXPECT_GT(fetch(cleaned.components.counts, where).kept, few) << field.name;
      where.capacity = {2 * runs + 64, 2 * right.before + 64};
      expect_same(clean_field(this->backend(), field, where, config, false), right, field.name);
    }
  }
}

}  // namespace
}  // namespace srcextract
