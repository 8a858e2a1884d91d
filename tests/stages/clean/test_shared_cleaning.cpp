// The steps by which a device cleans sources, by threads of the host that meet often, beside the CPU's body: to the
// last bit. The CPU finds limits in another way, one island after another; it takes all other steps one thread to an
// item.
#include <gtest/gtest.h>

#include <cmath>

#include "stages/clean/clean_sources.hpp"
#include "stages/clean/shared_cleaning.hpp"
#include "tests/stages/deblend/shared_deblend.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/same_bytes.hpp"
#include "tests/support/ways_to_clean.hpp"

namespace srcextract {
namespace {

using testing::Field;
using testing::image_of;
using testing::MeetingSteps;
using testing::same_bytes;

template <class T>
std::vector<T> in_list(const Buffer<T, Cpu>& buffer, std::int64_t count) {
  return {buffer.begin(), buffer.begin() + count};
}

void expect_same_cleaned(const Cleaned<Cpu>& a, const Cleaned<Cpu>& b, const std::string& name) {
  const std::int64_t runs = b.absorbed.size(), left = b.components.counts->kept;
  EXPECT_EQ(a.components.counts->kept, left) << name;
  EXPECT_EQ(a.components.counts->found, b.components.counts->found) << name;
  EXPECT_EQ(a.own.counts->kept, b.own.counts->kept) << name;
  EXPECT_TRUE(same_bytes(in_list(a.components.label, runs), in_list(b.components.label, runs))) << name << ": labels";
  EXPECT_TRUE(same_bytes(in_list(a.own.label, runs), in_list(b.own.label, runs))) << name << ": own labels";
  EXPECT_TRUE(same_bytes(in_list(a.absorbed, runs), in_list(b.absorbed, runs))) << name << ": absorbed";
  EXPECT_TRUE(same_bytes(in_list(a.own_sums, left), in_list(b.own_sums, left))) << name << ": own sums";
  EXPECT_TRUE(in_list(a.parentage, left) == in_list(b.parentage, left)) << name << ": parentage";
}

/// Noise where thresholds follow a map of variances.
struct NoiseOfMap {
  const Image<float, Cpu>* variance;
  float at(std::int64_t x, std::int64_t y) const { return std::sqrt(variance->pixels[y * variance->shape.width + x]); }
};

/// Cleans a field both ways; returns how many sources were absorbed.
std::int64_t clean_both_ways(const Field& field, const Settings& config, const Image<float, Cpu>* variance,
                             int threads) {
  const Image<float, Cpu> image = image_of(field);
  Image<float, Cpu> measured = image_of(field);
  for (std::int64_t i = 0; i < measured.pixels.size(); i += 3) measured.pixels[i] *= 1.25F;
  Levels levels;
  levels.detection = levels.in_noise = 1;
  levels.background = 0.125;
  const Value<Levels, Cpu> given = levels;
  const Cpu where{threads};
  const Runs<Cpu> runs =
      variance != nullptr ? find_runs(image, given, *variance, where) : find_runs(image, given, where);
  const Components<Cpu> islands = label_components(runs, config.detection, where);
  const DeblendImages<Cpu> images{image, measured, given, {nullptr, variance}};
  const bool deblended = config.deblend.method != DeblendMethod::none;
  const Deblended<Cpu> right = deblended ? deblend_sources(images, runs, islands, config, Cpu{1}) : Deblended<Cpu>{};
  const Deblended<Cpu> shared =
      deblended ? testing::SharedDeblending(images, runs, islands, config, where).divide() : Deblended<Cpu>{};
  const auto sources_of = [&](const Deblended<Cpu>& divided, const Buffer<SourceSums, Cpu>& sums) {
    return Uncleaned<Cpu>{deblended ? divided.runs : runs,
                          deblended ? divided.components : islands,
                          runs,
                          islands,
                          divided.core_pixels,
                          divided.parentage,
                          sums};
  };
  if (deblended) {
    const std::int64_t places = right.core_pixels.place.size();
    EXPECT_TRUE(same_bytes(in_list(shared.core_pixels.place, places), in_list(right.core_pixels.place, places)))
        << field.name << ": places";
  }
  const Buffer<SourceSums, Cpu> sums = measure_sources(
      image, deblended ? right.runs : runs, deblended ? right.components : islands, given, MaskCounts{}, Cpu{1});
  const Cleaned<Cpu> cleaned = clean_sources(images, sources_of(right, sums), config, 3, Cpu{1});
  const Uncleaned<Cpu> uncleaned = sources_of(shared, sums);
  const MeetingSteps steps(where);
  expect_same_cleaned(SharedCleaning<Cpu, MeetingSteps, NoiseOfMap>(images, uncleaned, config, islands.counts->kept,
                                                                    NoiseOfMap{variance}, steps)
                          .clean(3),
                      cleaned, field.name);
  return sums.size() - cleaned.components.counts->kept;
}

Image<float, Cpu> varied(const Shape& shape) {
  Image<float, Cpu> variance(shape, Cpu{});
  for (std::int64_t i = 0; i < variance.pixels.size(); ++i) variance.pixels[i] = 0.5F + static_cast<float>(i % 89) / 60;
  return variance;
}

TEST(SharedCleaning, EqualsTheIslandByIslandOneToTheLastBit) {
  std::int64_t absorbed = 0;
  int threads = 0;
  testing::for_each_way_to_clean([&](const testing::WayToClean& way) {
    threads = threads % 5 + 1;
    for (const Field& field : way.fields) {
      const Image<float, Cpu> variance = varied(field.shape);
      absorbed += clean_both_ways(field, way.config, way.varies ? &variance : nullptr, threads);
    }
  });
  EXPECT_GT(absorbed, testing::sanitized ? 250 : 500);
}

TEST(SharedCleaning, ThreadsThatMeetInOneIslandLoseNothing) {
  Settings config;
  config.detection.min_area = 5;
  config.deblend = {DeblendMethod::tree, 32, 0};
  config.deblend.clean = true;
  for (unsigned seed = 0; seed < 3; ++seed)
    for (const Field& field : testing::crowded_islands(testing::share(120), 100 + seed))
      clean_both_ways(field, config, nullptr, 7);
}

// Where a device has too little room for the pieces of all sources nothing is known of the last of them: what is made
// of that is thrown away, but nothing beside it may be read or written to (this is for sanitizers).
TEST(SharedCleaning, SourcesWithoutPiecesAreOfNoIsland) {
  Settings config;
  config.deblend = {DeblendMethod::tree, 32, 0};
  config.deblend.clean = true;
  Levels levels;
  levels.detection = levels.in_noise = 1;
  const Value<Levels, Cpu> given = levels;
  std::int64_t unknown = 0;
  for (const std::int64_t min_area : {5, 6}) {
    config.detection.min_area = min_area;
    for (const Field& field : testing::crowded_islands(40, 7)) {
      const Image<float, Cpu> image = image_of(field);
      const Runs<Cpu> runs = find_runs(image, given, Cpu{1});
      const Components<Cpu> islands = label_components(runs, config.detection, Cpu{1});
      const DeblendImages<Cpu> images{image, image, given, {nullptr, nullptr}};
      Deblended<Cpu> divided = testing::SharedDeblending(images, runs, islands, config, Cpu{1}).divide();
      const Buffer<SourceSums, Cpu> sums =
          measure_sources(image, divided.runs, divided.components, given, MaskCounts{}, Cpu{1});
      for (std::int64_t source = sums.size() / 2; source < sums.size(); ++source, ++unknown)
        divided.parentage[source] = {};
      const Uncleaned<Cpu> sources{divided.runs,        divided.components, runs, islands,
                                   divided.core_pixels, divided.parentage,  sums};
      const MeetingSteps steps(Cpu{1});
      const Cleaned<Cpu> cleaned = SharedCleaning<Cpu, MeetingSteps, NoiseOfMap>(
                                       images, sources, config, islands.counts->kept, NoiseOfMap{nullptr}, steps)
                                       .clean(3);
      EXPECT_LE(cleaned.components.counts->kept, sums.size()) << field.name;
    }
  }
  EXPECT_GT(unknown, 20);
}

}  // namespace
}  // namespace srcextract
