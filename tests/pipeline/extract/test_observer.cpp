#include "pipeline/chain/observer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/engine/host_engine.hpp"
#include "pipeline/extract/backend_comparison.hpp"
#include "tests/support/stage_records.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using testing::values_of;

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
  return extract_on_host(bar(), bright_pixels(), where, observer);
}

TEST(StageClock, TellsOfEveryStageInOrder) {
  std::vector<std::string> stages;
  run({[&](const char* stage, double seconds) {
         EXPECT_GE(seconds, 0);
         stages.push_back(stage);
       },
       nullptr});
  EXPECT_THAT(stages, ElementsAre("ingest", "background", "subtract", "threshold", "label", "measure", "columns"));
}

TEST(StageClock, TellsOfTheStagesThatTheConfigurationAdds) {
  Config config = bright_pixels();
  config.combine.method = CombineMethod::mean;
  config.convolve.kernel = KernelShape::values;
  config.convolve.values = {{1, 1, 1}};
  config.morphology.operation = MorphologicalOperation::erosion;
  config.output.quicklook = true;
  std::vector<std::string> stages;
  const Observer observer{[&](const char* stage, double) { stages.push_back(stage); }};
  extract_on_host(Exposure({bar(), bar()}), config, Cpu{2}, observer);
  EXPECT_THAT(stages, ElementsAre("ingest", "combine", "picture", "background", "subtract", "convolve", "threshold",
                                  "morphology", "label", "measure", "flux", "columns"));
}

TEST(StageClock, NothingIsSubtractedIfTheSkyIsConstant) {
  Config config = bright_pixels();
  config.background.method = BackgroundMethod::constant;
  std::vector<std::string> stages;
  StageRecord record;
  extract_on_host(bar(), config, Cpu{2}, {[&](const char* stage, double) { stages.push_back(stage); }, &record});
  EXPECT_THAT(stages, ElementsAre("ingest", "background", "threshold", "label", "measure", "columns"));
  EXPECT_THAT(values_of(record, "background", "meshes"), ElementsAre(0));
}

TEST(StageClock, RecordsWhatEveryStageMade) {
  StageRecord record;
  const Extraction extraction = run({{}, &record});

  const std::vector<double> pixels = values_of(record, "ingest", "pixel");
  ASSERT_EQ(std::ssize(pixels), width * height);
  for (std::int64_t i = 0; i < width * height; ++i) ASSERT_EQ(pixels[static_cast<std::size_t>(i)], pixel(i)) << i;
  EXPECT_THAT(values_of(record, "background", "median after clipping"),
              ElementsAre(extraction.background.clipped.median));
  // One mesh of as many zeros as ones, and a bar that is clipped: its level is subtracted from every pixel.
  const std::vector<double> level = values_of(record, "mesh", "level of node");
  const std::vector<double> above = values_of(record, "subtract", "pixel");
  ASSERT_EQ(std::ssize(level), 1);
  EXPECT_GT(level[0], 0);
  EXPECT_LT(level[0], 1);
  ASSERT_EQ(std::ssize(above), width * height);
  for (std::int64_t i = 0; i < width * height; ++i)
    ASSERT_EQ(static_cast<float>(above[static_cast<std::size_t>(i)]), pixel(i) - static_cast<float>(level[0])) << i;
  EXPECT_THAT(values_of(record, "threshold", "row"), ElementsAre(4));
  EXPECT_THAT(values_of(record, "threshold", "begin"), ElementsAre(5));
  EXPECT_THAT(values_of(record, "threshold", "end"), ElementsAre(8));
  EXPECT_EQ(std::ssize(values_of(record, "threshold", "first run")), height + 1);
  EXPECT_THAT(values_of(record, "label", "label"), ElementsAre(1));
  EXPECT_THAT(values_of(record, "label", "components kept"), ElementsAre(1));
  EXPECT_THAT(values_of(record, "measure", "npix"), ElementsAre(3));
  EXPECT_THAT(values_of(record, "columns", "NPIX"), ElementsAre(3));
  EXPECT_THAT(values_of(record, "catalogue", "NPIX"), ElementsAre(3));
}

TEST(StageClock, TwoRunsLeaveEqualRecords) {
  StageRecord first, second;
  run({{}, &first});
  run({{}, &second});
  EXPECT_TRUE(all_equal(compare_records(first, second)));
}

TEST(StageClock, BothSidesOfADifferenceAreRecorded) {
  const auto plane = [](float left, float right) {
    const auto read = [=](std::int64_t first, std::int64_t count, std::byte* out) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t x = (first + i) % width, y = (first + i) / width;
        float value = static_cast<float>((x + y) % 2);
        if (y == 4 && x == 2) value += left;
        if (y == 4 && x >= 8 && x < 10) value += right;
        std::memcpy(out + i * sizeof value, &value, sizeof value);
      }
    };
    PixelFormat format;
    format.big_endian = false;
    return PixelSource{{width, height}, format, read};
  };
  auto reference = std::make_shared<ReferenceFrame>();
  reference->planes = {plane(0, 500)};
  Config config = bright_pixels();
  config.difference.kernel = MatchingKernel::gaussian;
  config.difference.match_flux = false;
  StageRecord record;
  extract_on_host(Exposure({plane(500, 0)}, reference), config, Cpu{1}, {{}, &record});
  // One pixel became brighter, two became fainter.
  EXPECT_THAT(values_of(record, "measure", "npix", 0), ElementsAre(1));
  EXPECT_THAT(values_of(record, "measure", "npix", 1), ElementsAre(2));
  EXPECT_THAT(values_of(record, "catalogue", "SIGN"), ElementsAre(1, -1));
  EXPECT_THAT(values_of(record, "catalogue", "scale"), ElementsAre(1));
}

}  // namespace
}  // namespace srcextract
