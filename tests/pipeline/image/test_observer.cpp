#include "pipeline/chain/observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "pipeline/chain/run_stages.hpp"
#include "pipeline/image/backend_comparison.hpp"

namespace srcextract {
namespace {

using testing::ElementsAre;

constexpr std::int64_t width = 12, height = 10;

/// Alternating 0 and 1 with a bar of three bright pixels.
float pixel(std::int64_t i) {
  const std::int64_t x = i % width, y = i / width;
  return y == 4 && x >= 5 && x < 8 ? 100.0f : static_cast<float>((x + y) % 2);
}

PixelSource bar() {
  const auto read = [](std::int64_t first, std::int64_t count, std::byte* out) {
    for (std::int64_t i = 0; i < count; ++i) {
      const float value = pixel(first + i);
      std::memcpy(out + i * sizeof value, &value, sizeof value);
    }
  };
  PixelFormat format;
  format.big_endian = false;
  return {{width, height}, format, read};
}

Config bright_pixels() {
  Config config;
  config.detection.threshold = 50;
  config.detection.threshold_unit = ThresholdUnit::absolute;
  config.detection.min_area = 1;
  return config;
}

Extraction run(const Observer& observer) {
  const Cpu where{2};
  return run_stages(bar(), bright_pixels(), where, ObservingTap(observer));
}

TEST(ObservingTap, TellsOfEveryStageInOrder) {
  std::vector<std::string> stages;
  run({[&](const char* stage, double seconds) {
         EXPECT_GE(seconds, 0);
         stages.push_back(stage);
       },
       nullptr});
  EXPECT_THAT(stages, ElementsAre("ingest", "background", "threshold", "label", "measure", "columns"));
}

TEST(ObservingTap, TellsOfTheStagesThatTheConfigurationAdds) {
  Config config = bright_pixels();
  config.combine.method = CombineMethod::mean;
  config.convolve.kernel = KernelShape::values;
  config.convolve.values = {{1, 1, 1}};
  config.clean.operation = CleanOperation::erosion;
  config.output.quicklook = true;
  std::vector<std::string> stages;
  const Observer observer{[&](const char* stage, double) { stages.push_back(stage); }};
  run_stages(Exposure({bar(), bar()}), config, Cpu{2}, ObservingTap(observer));
  EXPECT_THAT(stages, ElementsAre("ingest", "combine", "picture", "background", "convolve", "threshold", "clean",
                                  "label", "measure", "flux", "columns"));
}

TEST(ObservingTap, RecordsWhatEveryStageMade) {
  StageRecord record;
  const Extraction extraction = run({{}, &record});

  ASSERT_EQ(record.pixels.image.pixels.size(), width * height);
  for (std::int64_t i = 0; i < width * height; ++i) ASSERT_EQ(record.pixels.image.pixels[i], pixel(i)) << i;
  EXPECT_EQ(record.background, extraction.background);
  ASSERT_EQ(record.runs.runs.size(), 1);
  EXPECT_EQ(record.runs.runs[0], (srcextract::Run{4, 5, 8}));
  ASSERT_EQ(record.runs.row_begin.size(), height + 1);
  ASSERT_EQ(record.components.label.size(), 1);
  EXPECT_EQ(record.components.label[0], 1);
  EXPECT_EQ(record.components.counts->kept, 1);
  ASSERT_EQ(record.sums.size(), 1);
  EXPECT_EQ(record.sums[0].npix, 3);
  EXPECT_EQ(record.sources.npix, std::vector<std::int64_t>{3});
}

TEST(ObservingTap, TwoRunsLeaveEqualRecords) {
  StageRecord first, second;
  run({{}, &first});
  run({{}, &second});
  EXPECT_TRUE(all_equal(compare_records(first, second)));
}

}  // namespace
}  // namespace srcextract
