// The steps that a device takes, by threads of the host, beside the CPU's own body, which goes about it differently
// (one island after another, the tree in one pass): to the last bit.
#include <gtest/gtest.h>

#include "tests/stages/deblend/shared_deblend.hpp"
#include "tests/support/crowded_islands.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/same_bytes.hpp"

namespace srcextract {
namespace {

using testing::Field;
using testing::image_of;
using testing::same_bytes;

template <class T>
std::vector<T> list(const Buffer<T, Cpu>& buffer) {
  return {buffer.begin(), buffer.end()};
}

void expect_same(const Deblended<Cpu>& a, const Deblended<Cpu>& b, const std::string& name) {
  EXPECT_EQ(a.components.counts->kept, b.components.counts->kept) << name;
  EXPECT_EQ(a.components.counts->found, b.components.counts->found) << name;
  EXPECT_TRUE(same_bytes(list(a.runs.runs), list(b.runs.runs))) << name << ": runs";
  EXPECT_TRUE(same_bytes(list(a.runs.row_begin), list(b.runs.row_begin))) << name << ": rows";
  EXPECT_TRUE(same_bytes(list(a.components.label), list(b.components.label))) << name << ": labels";
  EXPECT_TRUE(list(a.parentage) == list(b.parentage)) << name << ": parentage";
}

/// Divides a field both ways; returns how many sources there are more than islands.
std::int64_t divide(const Field& field, const Settings& config, const Image<float, Cpu>* variance, int threads) {
  const Image<float, Cpu> image = image_of(field);
  Image<float, Cpu> measured = image_of(field);
  for (std::int64_t i = 0; i < measured.pixels.size(); i += 3) measured.pixels[i] *= 1.25F;
  Levels levels;
  levels.detection = 1;
  levels.background = 0.125;
  levels.in_noise = 1;
  const Value<Levels, Cpu> given = levels;
  const Cpu where{threads};
  const Runs<Cpu> runs =
      variance != nullptr ? find_runs(image, given, *variance, where) : find_runs(image, given, where);
  const Components<Cpu> islands = label_components(runs, config.detection, where);
  const DeblendImages<Cpu> images{image, measured, given, {nullptr, variance}};
  const Deblended<Cpu> right = deblend_sources(images, runs, islands, config, Cpu{1});
  expect_same(testing::SharedDeblending(images, runs, islands, config, where).divide(), right, field.name);
  return right.components.counts->kept - islands.counts->kept;
}

TEST(SharedDeblending, EqualsTheIslandByIslandOneToTheLastBit) {
  std::int64_t more = 0;
  unsigned seed = 1;
  for (const std::int64_t min_area : {1, 3, 5, 8}) {
    for (const std::int64_t thresholds : {2, 7, 32, 256}) {
      for (const double contrast : {0.0, 0.005, 1.0}) {
        Settings config;
        config.detection.min_area = min_area;
        config.detection.connectivity = seed % 2 == 0 ? 4 : 8;
        config.deblend = {DeblendMethod::tree, thresholds, contrast};
        for (const Field& field : testing::crowded_islands(seed % 3 == 0 ? 70 : 33, seed)) {
          Image<float, Cpu> variance(field.shape, Cpu{});
          for (std::int64_t i = 0; i < variance.pixels.size(); ++i)
            variance.pixels[i] = 0.5F + static_cast<float>(i % 89) / 60;
          more += divide(field, config, seed % 4 == 1 ? &variance : nullptr, 1 + static_cast<int>(seed % 5));
        }
        ++seed;
      }
    }
  }
  EXPECT_GT(more, 5000);
}

/// Where a device has room for less than there is, the counts say so, and nothing beyond the room is touched.
TEST(SharedDeblending, TooLittleRoomIsTold) {
  Settings config;
  config.detection.min_area = 1;
  config.deblend = {DeblendMethod::tree, 32, 0};
  Levels levels;
  levels.detection = 1;
  levels.background = 0.125;
  const Value<Levels, Cpu> given = levels;
  std::int64_t short_of_room = 0;
  for (const Field& field : testing::crowded_islands(60, 77)) {
    const Image<float, Cpu> image = image_of(field);
    const Runs<Cpu> runs = find_runs(image, given, Cpu{2});
    const Components<Cpu> islands = label_components(runs, config.detection, Cpu{2});
    const DeblendImages<Cpu> images{image, image, given, {}};
    const std::int64_t right = deblend_sources(images, runs, islands, config, Cpu{2}).components.counts->kept;
    for (const std::int64_t cores : {std::int64_t{1}, right / 3, right - 1}) {
      if (cores < 1 || right - islands.counts->kept < 2) continue;
      testing::SharedDeblending divided(images, runs, islands, config, Cpu{3}, {islands.counts->kept, cores});
      EXPECT_EQ(divided.divide().components.counts->kept, right) << field.name;
      ++short_of_room;
    }
    const std::int64_t few = islands.counts->kept / 2;
    if (few == 0) continue;
    testing::SharedDeblending divided(images, runs, islands, config, Cpu{3}, {few, right});
    EXPECT_GT(divided.divide().components.counts->kept, few) << field.name;
    ++short_of_room;
  }
  EXPECT_GT(short_of_room, 15);
}

TEST(SharedDeblending, ThreadsThatMeetInOneIslandLoseNothing) {
  Settings config;
  config.detection.min_area = 1;
  config.deblend = {DeblendMethod::tree, 32, 0};
  std::int64_t more = 0;
  for (unsigned seed = 0; seed < 3; ++seed)
    for (const Field& field : testing::crowded_islands(testing::share(200), 100 + seed))
      more += divide(field, config, nullptr, 7);
  EXPECT_GT(more, testing::share(1000));
}

}  // namespace
}  // namespace srcextract
