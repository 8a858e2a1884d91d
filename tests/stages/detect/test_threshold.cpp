#include "stages/detect/threshold.hpp"

#include <cmath>
#include <limits>

#include "stages/detect/detection_levels.hpp"
#include "stages/detect/false_discovery.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

template <class Where>
class Threshold : public StageTest<Where> {
 protected:
  /// Every pixel of every run painted into a mask; fails if the runs are not maximal or not in raster order.
  std::vector<char> painted(const Field& field, double level) {
    const auto result =
        find_runs(this->image(field.shape, field.pixels), testing::put_levels(this->backend(), level), this->where());
    const auto runs = testing::get_runs(this->backend(), result);
    const auto row_begin = this->backend().get(result.row_begin);
    EXPECT_EQ(result.shape, field.shape);
    EXPECT_EQ(row_begin.size(), static_cast<std::size_t>(field.shape.height) + 1);
    EXPECT_EQ(row_begin.front(), 0);
    EXPECT_EQ(row_begin.back(), static_cast<std::int64_t>(runs.size()));
    std::vector<char> mask(field.pixels.size(), 0);
    for (std::int64_t y = 0; y < field.shape.height; ++y) {
      std::int64_t end = -1;
      for (auto i = row_begin[static_cast<std::size_t>(y)]; i < row_begin[static_cast<std::size_t>(y) + 1]; ++i) {
        const Run& run = runs[static_cast<std::size_t>(i)];
        EXPECT_EQ(run.y, y) << field.name;
        EXPECT_GT(run.begin, end) << field.name << ": runs touch or are out of order";
        EXPECT_GT(run.end, run.begin) << field.name;
        EXPECT_LE(run.end, field.shape.width) << field.name;
        end = run.end;
        for (std::int64_t x = run.begin; x < run.end; ++x)
          mask.at(static_cast<std::size_t>(y * field.shape.width + x)) = 1;
      }
    }
    return mask;
  }
};
TYPED_TEST_SUITE(Threshold, Backends);

TYPED_TEST(Threshold, MarksExactlyThePixelsAboveTheLevel) {
  std::int64_t foreground = 0;
  for (const Field& field : testing::hostile_fields()) {
    for (const double level : {-1e39, 0.0, 0.5, 2.5}) {
      const auto mask = this->painted(field, level);
      for (std::size_t i = 0; i < mask.size(); ++i) {
        const bool above = static_cast<double>(field.pixels[i]) > level;
        ASSERT_EQ(mask[i] != 0, above) << field.name << " pixel " << i << " level " << level;
        foreground += above;
      }
    }
  }
  EXPECT_GT(foreground, 1'000'000);
}

/// Runs that reach from word to word, to the end of a row and beyond what one thread, warp or block takes.
TYPED_TEST(Threshold, MarksRowsOfAnyWidth) {
  for (const std::int64_t width : {1, 2, 31, 32, 33, 64, 255, 256, 257, 1000, 1024, 1025, 2048, 5000}) {
    for (const double probability : {0.01, 0.5, 0.99}) {
      const Field field = testing::random_mask({width, 700'000 / (width + 200)}, probability, 7);
      const auto mask = this->painted(field, 0.5);
      for (std::size_t i = 0; i < mask.size(); ++i) {
        ASSERT_EQ(mask[i] != 0, field.pixels[i] > 0.5F) << "width " << width << " pixel " << i;
      }
    }
  }
}

TYPED_TEST(Threshold, ComparesWithTheDoubleLevelNotWithItsRounding) {
  // 0.1f = 0.100000001490...: above the double 0.1, although float(0.1) equals it.
  EXPECT_EQ(this->painted({"above", {2, 1}, {0.1F, 0.0F}}, 0.1), (std::vector<char>{1, 0}));
  // 0.3f = 0.300000011920...; the next double below and above it.
  const double stored = 0.3F;
  EXPECT_EQ(this->painted({"equal", {1, 1}, {0.3F}}, stored), (std::vector<char>{0}));
  EXPECT_EQ(this->painted({"just above", {1, 1}, {0.3F}}, std::nextafter(stored, 0.0)), (std::vector<char>{1}));
}

TYPED_TEST(Threshold, FindsNothingAboveInfinity) {
  EXPECT_EQ(this->painted({"bright", {3, 1}, {1, 3e38F, 2}}, std::numeric_limits<double>::infinity()),
            std::vector<char>(3, 0));
}

TYPED_TEST(Threshold, TakesAnImageWithoutPixels) {
  EXPECT_TRUE(this->painted({"empty", {0, 0}, {}}, 0).empty());
}

Background background_of(double median, double sigma) {
  Background b;
  b.all.count = b.clipped.count = 100;
  b.clipped.median = median;
  b.clipped.sigma = sigma;
  return b;
}

template <class Where>
class LevelsTest : public StageTest<Where> {
 protected:
  Levels resolved(const Background& background, const Settings& config) {
    const auto there = this->backend().put_value(background);
    return fetch(resolve_levels(there, config, this->where()), this->where());
  }
};
TYPED_TEST_SUITE(LevelsTest, Backends);

TYPED_TEST(LevelsTest, FollowTheConfiguration) {
  Settings config;  // 5 sigma above the background; in units of a pixel's own noise, where that is known, too
  EXPECT_EQ(this->resolved(background_of(100, 2), config), (Levels{110, 100, 2, 100, 5}));
  config.detection.reference = Baseline::zero;
  EXPECT_EQ(this->resolved(background_of(100, 2), config), (Levels{10, 100, 2, 0, 5}));
  config.measurement.reference = Baseline::zero;
  EXPECT_EQ(this->resolved(background_of(100, 2), config), (Levels{10, 0, 2, 0, 5}));
  config.detection.threshold_unit = ThresholdUnit::absolute;
  config.detection.threshold = 7;
  EXPECT_EQ(this->resolved(background_of(100, 0), config), (Levels{7, 0, 0}));
}

TYPED_TEST(LevelsTest, ProfilesStartFromTheAnalysisThreshold) {
  Settings config;
  const auto level = [&] { return analysis_level(this->resolved(background_of(100, 2), config)); };
  EXPECT_EQ(level(), 10) << "none of its own: that of detection";
  config.detection.analysis_threshold = 1.5;
  EXPECT_EQ(level(), 3);
  config.measurement.reference = Baseline::zero;
  EXPECT_EQ(level(), 103);
  config.measurement.reference = Baseline::background;
  config.detection.threshold_unit = ThresholdUnit::mag_per_arcsec2;
  config.detection.threshold = 20;
  config.detection.analysis_threshold = 22.5;
  config.measurement.zero_point = 25;
  config.measurement.pixel_scale = 2;
  EXPECT_DOUBLE_EQ(level(), 40) << "two and a half magnitudes are a factor of 10, on four square arcseconds";
  config.detection.analysis_threshold = 0;
  EXPECT_DOUBLE_EQ(level(), 400);
}

TYPED_TEST(LevelsTest, AnAnalysisThresholdIsNotRaisedWithThatOfDetection) {
  Settings config;
  config.detection.threshold = 1;
  config.detection.analysis_threshold = 1.5;
  auto levels = resolve_levels(this->backend().put_value(background_of(100, 2)), config, this->where());
  raise_levels(levels, this->backend().put_value(4.25), this->where());
  const Levels raised = fetch(levels, this->where());
  EXPECT_EQ(raised.detection, 108.5);
  EXPECT_EQ(analysis_level(raised), 3);
}

TYPED_TEST(LevelsTest, ASurfaceBrightnessIsAPixelValueAboveTheSky) {
  Settings config;
  config.detection.threshold_unit = ThresholdUnit::mag_per_arcsec2;
  config.detection.threshold = 20;
  config.measurement.zero_point = 25;
  config.measurement.pixel_scale = 0.5;
  // Five magnitudes are a factor of 100, to the fourth part on a pixel of half an arcsecond.
  EXPECT_DOUBLE_EQ(this->resolved(background_of(1000, 2), config).detection, 1025);
  EXPECT_DOUBLE_EQ(this->resolved(background_of(0, 0), config).detection, 25);
  config.detection.reference = Baseline::zero;
  EXPECT_DOUBLE_EQ(this->resolved(background_of(1000, 2), config).detection, 25);
  config.detection.threshold = 27.5;
  config.measurement.pixel_scale = 2;
  EXPECT_DOUBLE_EQ(this->resolved(background_of(1000, 2), config).detection, 0.4);
}

TYPED_TEST(LevelsTest, CountDetectionSigmasInTheImageThatSourcesAreFoundIn) {
  Settings config;
  config.detection.threshold_unit = ThresholdUnit::detection_sigma;
  const auto resolved = [&](const Background& image, const Background& convolved) {
    return fetch(resolve_levels(this->backend().put_value(image), this->backend().put_value(convolved),
                                config.detection.threshold, config, this->where()),
                 this->where());
  };
  Levels expected{103.5, 100, 2, 101, 1.25};
  expected.filtered = 0.5;
  EXPECT_EQ(resolved(background_of(100, 2), background_of(101, 0.5)), expected);
  EXPECT_EQ(resolved(background_of(100, 2), background_of(101, 0)).detection, std::numeric_limits<double>::infinity());
  config.detection.reference = Baseline::zero;
  expected.detection = 2.5;
  expected.zero_point = 0;
  EXPECT_EQ(resolved(background_of(100, 2), background_of(101, 0.5)), expected);
  config.detection.threshold_unit = ThresholdUnit::sigma;
  EXPECT_EQ(resolved(background_of(100, 2), background_of(101, 0.5)), (Levels{10, 100, 2, 0, 5}));
}

TYPED_TEST(LevelsTest, LetNothingBeDetectedWithoutASky) {
  const Settings config;  // not Settings{} below: GCC 12 ends with an internal error
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(this->resolved(background_of(100, 0), config).detection, never);
  Background meshes = background_of(0, 0);
  meshes.mesh.width = meshes.mesh.height = 2;  // without noise, all of them
  EXPECT_EQ(this->resolved(meshes, config).detection, never);
  EXPECT_EQ(this->resolved(meshes, config).in_noise, never);
  Settings absolute;
  absolute.detection.threshold_unit = ThresholdUnit::absolute;
  EXPECT_EQ(this->resolved(Background{}, absolute).detection, never);
}

std::string refusal_of(const Background& background, const Settings& config) {
  try {
    check_background(background, config);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "";
}

TEST(CheckBackground, RefusesNoSkyAndUnitsOfAZeroSigma) {
  Settings absolute;
  absolute.detection.threshold_unit = ThresholdUnit::absolute;
  EXPECT_NE(refusal_of(background_of(3, 0), Settings{}).find("sigma is 0"), std::string::npos);
  EXPECT_NE(refusal_of(Background{}, absolute).find("every pixel is masked"), std::string::npos);
  EXPECT_EQ(refusal_of(background_of(3, 0), absolute), "");
  EXPECT_EQ(refusal_of(background_of(3, 1), Settings{}), "");
}

/// The noise as a map tells it, and how.
Settings with_map(WeightType type, bool rescale, ThresholdUnit unit = ThresholdUnit::sigma) {
  Settings config;
  config.weights.type = type;
  config.weights.rescale = rescale;
  config.detection.threshold_unit = unit;
  return config;
}

TYPED_TEST(LevelsTest, CountInANoiseThatIsGivenWhereTheImageHasNone) {
  const double never = std::numeric_limits<double>::infinity();
  for (const WeightType type : {WeightType::rms, WeightType::variance, WeightType::weight})
    EXPECT_EQ(this->resolved(background_of(100, 0), with_map(type, false)), (Levels{100, 100, 0, 100, 5}));
  EXPECT_EQ(this->resolved(background_of(100, 0), with_map(WeightType::rms, true)).in_noise, 5);
  // What is scaled to the image's own noise, or counted in it, is none.
  EXPECT_EQ(this->resolved(background_of(100, 0), with_map(WeightType::weight, true)).in_noise, never);
  const Settings convolved = with_map(WeightType::rms, true, ThresholdUnit::detection_sigma);
  EXPECT_EQ(this->resolved(background_of(100, 0), convolved).in_noise, never);
  EXPECT_EQ(this->resolved(Background{}, with_map(WeightType::rms, true)).in_noise, never);
}

TEST(CheckBackground, AsksForNoNoiseWhereAMapGivesIt) {
  Background meshes = background_of(0, 0);
  meshes.mesh.width = meshes.mesh.height = 2;
  for (const Background& background : {background_of(3, 0), meshes}) {
    EXPECT_EQ(refusal_of(background, with_map(WeightType::rms, true)), "");
    EXPECT_EQ(refusal_of(background, with_map(WeightType::variance, false)), "");
    EXPECT_NE(refusal_of(background, with_map(WeightType::variance, true)).find("sigma is 0"), std::string::npos);
  }
  meshes.mesh.bad = 4;
  Settings config = with_map(WeightType::rms, true);
  EXPECT_NE(refusal_of(meshes, config).find("more than half of them are masked"), std::string::npos);
  config.given_sky.level = "0";
  EXPECT_EQ(refusal_of(meshes, config), "");
}

TEST(CheckBackground, RefusesMeshesWithoutNoise) {
  Background meshes = background_of(0, 0);
  meshes.mesh.width = meshes.mesh.height = 2;
  EXPECT_NE(refusal_of(meshes, Settings{}).find("in every mesh the pixels"), std::string::npos);
  Settings absolute;
  absolute.detection.threshold_unit = ThresholdUnit::absolute;
  EXPECT_EQ(refusal_of(meshes, absolute), "");
  meshes.clipped.sigma = 0.5;
  EXPECT_EQ(refusal_of(meshes, Settings{}), "");
}

TEST(CheckBackground, RefusesMeshesOfWhichNoneIsGood) {
  Background meshes = background_of(0, 1);
  meshes.mesh.width = meshes.mesh.height = 2;
  meshes.mesh.bad = 3;
  EXPECT_EQ(refusal_of(meshes, Settings{}), "");
  meshes.mesh.bad = 4;
  Settings absolute;
  absolute.detection.threshold_unit = ThresholdUnit::absolute;
  for (const Settings& config : {Settings{}, absolute})
    EXPECT_NE(refusal_of(meshes, config).find("more than half of them are masked"), std::string::npos);
}

}  // namespace
}  // namespace srcextract
