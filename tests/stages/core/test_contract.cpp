#include "stages/core/contract.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stages/core/runs.hpp"
#include "stages/detect/label.hpp"
#include "stages/weights/mask.hpp"

namespace srcextract {
namespace {

const Cpu cpu{1};

TEST(Contract, IsEvaluatedWhereContractsAreCheckedAlone) {
  int evaluated = 0;
  const auto holds = [&] { return ++evaluated > 0; };
  SRCEXTRACT_EXPECT(holds());
  SRCEXTRACT_ENSURE(holds());
  EXPECT_EQ(evaluated, checks_contracts ? 2 : 0);
}

TEST(Contract, ThatIsBrokenNamesStepFunctionAndCondition) {
  if (!checks_contracts) GTEST_SKIP() << "contracts are not checked in this build";
  Pixels<Cpu> pixels({4, 3}, cpu);
  const Image<float, Cpu> mask({3, 4}, cpu);
  latest_step = "mask";
  std::string message;
  try {
    apply_mask(mask, pixels, cpu);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    message = error.what();
  }
  EXPECT_THAT(message, ::testing::AllOf(::testing::HasSubstr("in the step mask"), ::testing::HasSubstr("apply_mask"),
                                        ::testing::HasSubstr("are_alike(mask, pixels.image)"),
                                        ::testing::HasSubstr("mask.cpp")));
}

/// Runs of an image of 10 x 3 pixels, all in row 1.
Runs<Cpu> in_row_1(const std::vector<Run>& all) {
  Runs<Cpu> runs{{10, 3}, Buffer<Run, Cpu>(std::ssize(all), cpu), Buffer<std::int64_t, Cpu>(4, cpu)};
  std::ranges::copy(all, runs.runs.begin());
  const std::int64_t begins[] = {0, 0, std::ssize(all), std::ssize(all)};
  std::ranges::copy(begins, runs.row_begin.begin());
  return runs;
}

TEST(Contract, RunsLieInTheirRowsAndShareNoPixel) {
  EXPECT_TRUE(are_in_raster_order(in_row_1({})));
  EXPECT_TRUE(are_in_raster_order(in_row_1({{1, 0, 4}, {1, 4, 10}})));
  EXPECT_FALSE(are_in_raster_order(in_row_1({{1, 0, 4}, {1, 3, 10}})));
  EXPECT_FALSE(are_in_raster_order(in_row_1({{1, 5, 6}, {1, 0, 2}})));
  EXPECT_FALSE(are_in_raster_order(in_row_1({{1, 5, 5}})));
  EXPECT_FALSE(are_in_raster_order(in_row_1({{1, 5, 11}})));
  EXPECT_FALSE(are_in_raster_order(in_row_1({{2, 5, 6}})));
  Runs<Cpu> cut = in_row_1({{1, 0, 4}});
  cut.row_begin[3] = 2;
  EXPECT_FALSE(are_in_raster_order(cut));
}

TEST(Contract, LabelsAreOfTheirComponents) {
  const Runs<Cpu> runs = in_row_1({{1, 0, 2}, {1, 5, 6}});
  Components<Cpu> components = label_components(runs, DetectionConfig{.min_area = 1}, cpu);
  EXPECT_TRUE(are_labels_of(components, runs));
  components.label[1] = 3;
  EXPECT_FALSE(are_labels_of(components, runs));
  components.label[1] = -1;
  EXPECT_FALSE(are_labels_of(components, runs));
  EXPECT_FALSE(are_labels_of(components, in_row_1({{1, 0, 2}})));
}

}  // namespace
}  // namespace srcextract
