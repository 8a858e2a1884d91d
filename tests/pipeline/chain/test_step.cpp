#include "pipeline/chain/step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pipeline/chain/parts.hpp"

namespace srcextract {
namespace {

/// A part that says everything, and steps that forget one thing each.
struct Whole {
  static constexpr const char* name = "whole";
  static bool used(const Plan&) { return true; }
  static KeptImages keeps(const Plan&) { return {}; }
  static RowsAtOnce rows(const Plan&) { return 0; }
  template <class S>
  static void run(S&) {}
};
struct WithoutName {
  static bool used(const Plan&) { return true; }
  static KeptImages keeps(const Plan&) { return {}; }
  static RowsAtOnce rows(const Plan&) { return 0; }
  template <class S>
  static void run(S&) {}
};
struct WithoutUse {
  static constexpr const char* name = "no use";
  static KeptImages keeps(const Plan&) { return {}; }
  static RowsAtOnce rows(const Plan&) { return 0; }
  template <class S>
  static void run(S&) {}
};
struct WithoutMemory {
  static constexpr const char* name = "no memory";
  static bool used(const Plan&) { return true; }
  static RowsAtOnce rows(const Plan&) { return 0; }
  template <class S>
  static void run(S&) {}
};
struct WithoutRows {
  static constexpr const char* name = "no rows";
  static bool used(const Plan&) { return true; }
  static KeptImages keeps(const Plan&) { return {}; }
  template <class S>
  static void run(S&) {}
};
struct WithoutBody {
  static constexpr const char* name = "no body";
  static bool used(const Plan&) { return true; }
  static KeptImages keeps(const Plan&) { return {}; }
  static RowsAtOnce rows(const Plan&) { return 0; }
};

/// Whether a list that contains the part compiles.
template <class Part>
concept MayBeListed = requires {
  typename PartList<Part>;
};

TEST(Step, OneThatForgetsSomethingDoesNotCompile) {
  EXPECT_TRUE(MayBeListed<Whole> && DetectionStep<Whole>);
  EXPECT_FALSE(MayBeListed<WithoutName>);
  EXPECT_FALSE(MayBeListed<WithoutUse>);
  EXPECT_FALSE(MayBeListed<WithoutMemory>);
  EXPECT_FALSE(MayBeListed<WithoutRows>);
  EXPECT_TRUE(MayBeListed<WithoutBody>) << "a part outside the detection has its body elsewhere";
  EXPECT_FALSE(DetectionStep<WithoutBody>);
}

TEST(Step, NamesAreOnceInTheList) {
  std::vector<std::string> names;
  for_each_part_of(AllParts(), [&]<class Part>() {
    if (Part::name != nullptr) names.emplace_back(Part::name);
  });
  ASSERT_GT(names.size(), 30U);
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

/// The parts that need a whole image in memory, and are used.
std::vector<std::string> that_need_the_whole(const Plan& plan) {
  std::vector<std::string> names;
  for_each_part_of(AllParts(), [&]<class Part>() {
    if (Part::used(plan) && !Part::rows(plan)) names.emplace_back(Part::name);
  });
  return names;
}

using Names = std::vector<std::string>;

TEST(Step, SaysWhatKeepsAnImageFromGoingByRows) {
  Config config;
  EXPECT_EQ(that_need_the_whole(config), Names{});
  config.background.refine = 2;
  EXPECT_EQ(that_need_the_whole(config), Names{"background"});
  config = {};
  config.convolve.kernel = KernelShape::gaussian;
  config.convolve.filter = Filter::matched;
  EXPECT_EQ(that_need_the_whole(config), Names{"match"});
  config = {};
  config.detection.false_discovery_rate = 0.01;
  EXPECT_EQ(that_need_the_whole(config), Names{"false discoveries"});
  config = {};
  config.psf.method = PsfMethod::fit;
  config.measurement.noise = NoiseOfSums::apertures;
  EXPECT_EQ(that_need_the_whole(config), (Names{"psf", "aperture noise"}));
}

// A difference whose sources are found on the score has no matched filter, whatever `convolve` says.
TEST(Step, AScoredDifferenceKeepsNoImagesOfTheMatchedFilter) {
  Config config;
  config.convolve.kernel = KernelShape::gaussian;
  config.convolve.filter = Filter::matched;
  config.difference.detect_on = DetectOn::score;
  config.detection.threshold_unit = ThresholdUnit::sigma;
  EXPECT_TRUE(Match::used(config));
  config.resources.has_star_profile = true;
  EXPECT_FALSE(Match::used(config));
  EXPECT_TRUE(Convolve::used(config));
}

}  // namespace
}  // namespace srcextract
