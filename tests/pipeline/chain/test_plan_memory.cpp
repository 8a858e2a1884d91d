#include "pipeline/chain/plan_memory.hpp"

#include <gtest/gtest.h>

namespace srcextract {
namespace {

constexpr Shape square{1024, 1024};
constexpr std::int64_t image = std::int64_t{4} << 20;  // bytes of its float32 pixels

Config constant_sky() {
  Config config;
  config.background.method = BackgroundMethod::constant;
  config.difference.kernel = MatchingKernel::gaussian;
  return config;
}

TEST(PlanMemory, AnImageTakesItsPixelsAndHalfAsMuchOnTheHost) {
  const Config config = constant_sky();
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 3 * image / 2);
  EXPECT_EQ(device_memory_beside(plan_of(square, config, false)), 0);
}

// Measured of 20 million pixels by what a process takes beyond an image of 64 columns: 320 MB for one column, 100 MB
// for one row, 159 MB for two columns.
TEST(PlanMemory, ThinImagesTakeMoreForTheirRowsAndMeshes) {
  const Config config;
  const auto taken = [&](const Shape& shape) { return host_memory(plan_of(shape, config, false)); };
  const std::int64_t one_image = 4 * 20'000'000LL;
  EXPECT_GE(taken({1, 20'000'000}), one_image + 320'000'000);
  EXPECT_GE(taken({20'000'000, 1}), one_image + 100'000'000);
  EXPECT_GE(taken({2, 10'000'000}), one_image + 159'000'000);
  EXPECT_LE(taken({64, 312'500}), one_image + 45'000'000);
}

TEST(PlanMemory, AMeshKeepsWhatIsAboveItOnTheHostWhereTheImageIsReadAgain) {
  Config config;
  config.background.method = BackgroundMethod::mesh;
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 3 * image / 2);
  Config both = config;
  both.detection.sign = DetectionSign::both;
  EXPECT_EQ(host_memory(plan_of(square, both, false)), 5 * image / 2);
  EXPECT_EQ(device_memory_beside(plan_of(square, config, false)), image);
  config.convolve.kernel = KernelShape::gaussian;
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 5 * image / 2);
  EXPECT_EQ(device_memory_beside(plan_of(square, config, false)), 2 * image);
}

TEST(PlanMemory, ConvolutionKeepsAnImageMore) {
  Config config = constant_sky();
  config.convolve.kernel = KernelShape::gaussian;
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 5 * image / 2);
  EXPECT_EQ(device_memory_beside(plan_of(square, config, false)), image);
}

TEST(PlanMemory, AlertsKeepBothFramesAndWhatTheyShow) {
  Config config = constant_sky();
  const std::int64_t without = host_memory(plan_of(square, config, true));
  const std::int64_t sources = sources_memory(100'000, config);
  config.output.alerts = {AlertFormat::avro};
  // Both frames, the difference and its filtered image of either side, the map of owners.
  EXPECT_EQ(host_memory(plan_of(square, config, true)), without + 7 * image);
  // The numbers of all alerts, and the cut-outs of some.
  EXPECT_LT(sources_memory(100'000, config), sources + 130'000'000);
  config.output.alerts = {AlertFormat::parquet};
  EXPECT_LT(sources_memory(100'000, config), sources + 270'000'000);
}

TEST(PlanMemory, AMatchedFilterKeepsWhatItSums) {
  Config config = constant_sky();
  config.convolve.kernel = KernelShape::gaussian;
  const std::int64_t convolved = host_memory(plan_of(square, config, false));
  config.convolve.filter = Filter::matched;
  EXPECT_EQ(host_memory(plan_of(square, config, false)), convolved + 3 * image);
  EXPECT_EQ(device_memory_beside(plan_of(square, config, false)), 4 * image);
}

TEST(PlanMemory, VariancesThatAreConvolvedAreAnImageMore) {
  Config config = constant_sky();
  config.convolve.kernel = KernelShape::gaussian;
  config.weights.type = WeightType::variance;
  const Plan plan = plan_of(square, config, false);
  const std::int64_t on_host = host_memory(plan), on_device = device_memory_beside(plan);
  config.weights.convolve = true;
  EXPECT_EQ(host_memory(plan), on_host + image);
  EXPECT_EQ(device_memory_beside(plan), on_device + image);
}

TEST(PlanMemory, PlanesAreKeptUntilTheyAreCombined) {
  Config config = constant_sky();
  config.combine.method = CombineMethod::median;
  // How many planes a cube has is not known before it is opened: three are usual.
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 9 * image / 2);
  config.combine.planes = {1, 2, 3, 4, 5};
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 13 * image / 2);
  config.combine.planes.clear();
  config.combine.files = {"a.fits"};  // and the image itself
  EXPECT_EQ(device_memory_beside(plan_of(square, config, false)), 2 * image);
  const Exposure three({PixelSource{square, {}, {}}, PixelSource{square, {}, {}}, PixelSource{square, {}, {}}});
  EXPECT_EQ(device_memory_beside(plan_of(three, config)), 3 * image);
}

TEST(PlanMemory, ADifferenceKeepsBothFrames) {
  Config config = constant_sky();
  EXPECT_EQ(host_memory(plan_of(square, config, true)), 7 * image / 2);
  config.measurement.gain = 2;  // the noise, and the image that is weighed by it
  EXPECT_EQ(host_memory(plan_of(square, config, true)), 11 * image / 2);
  EXPECT_EQ(device_memory_beside(plan_of(square, config, true)), 7 * image);
}

TEST(PlanMemory, ADetectionImageIsKeptBesideTheOneThatIsMeasured) {
  Config config = constant_sky();
  Plan plan = plan_of(square, config, false);
  const std::int64_t one = host_memory(plan), on_device = device_memory_beside(plan);
  plan.found_in = &config;
  EXPECT_EQ(host_memory(plan), one + 2 * image);  // and one whose gaps are filled
  EXPECT_EQ(device_memory_beside(plan), on_device + 2 * image);
  config.background.method = BackgroundMethod::mesh;
  config.convolve.kernel = KernelShape::gaussian;
  const std::int64_t of_one = device_memory_beside(plan_of(square, config, false));
  EXPECT_EQ(device_memory_beside(plan), of_one + 4 * image);  // that in which sources are found, above its mesh
}

TEST(PlanMemory, PlanesOfADetectionImageCountWhetherItGoesByRowsOrNot) {
  const Config config = constant_sky();
  Config found_in = constant_sky();
  const std::int64_t one = host_memory(plan_of(square, config, false, &found_in)), most = one / 4;
  const std::int64_t rows = host_memory_within(plan_of(square, config, false, &found_in), most).rows;
  found_in.combine.method = CombineMethod::mean;
  found_in.combine.planes.resize(30);
  EXPECT_EQ(host_memory(plan_of(square, config, false, &found_in)), one + 30 * image);
  EXPECT_GT(rows, 0);
  EXPECT_GE(host_memory_within(plan_of(square, config, false, &found_in), most).rows, 30 * 64 * square.width * 4);
}

TEST(PlanMemory, WhatIsBesideAnImageDecidesWhetherItGoesByRows) {
  const Config config = constant_sky();
  Plan plan = plan_of({4096, 4096}, config, false);
  const std::int64_t enough = 2 * host_memory(plan);
  EXPECT_EQ(host_memory_within(plan, enough).rows, 0);
  plan.beside = enough / 2;
  EXPECT_GT(host_memory_within(plan, enough).rows, 0);
  EXPECT_LE(host_memory_within(plan, enough).bytes, enough);
  plan.compares = true;  // takes whole images, and keeps the results of every stage
  EXPECT_EQ(host_memory_within(plan, enough).rows, 0);
  EXPECT_EQ(host_memory_within(plan, enough).bytes, 3 * enough - enough / 2);
}

TEST(PlanMemory, AFlatImageWhoseRowsNeedMoreThanItselfIsTakenAsAWhole) {
  const Config config = constant_sky();
  const Plan flat = plan_of({100'000, 3}, config, false);
  EXPECT_EQ(host_memory_within(flat, 1'000'000).rows, 0);
  EXPECT_EQ(host_memory_within(flat, 1'000'000).bytes, host_memory(flat));
}

TEST(PlanMemory, CheckImagesAreKeptWhileTheOtherSideIsLookedFor) {
  Config config = constant_sky();
  config.output.check_images = {CheckImage::objects};
  const std::int64_t one = host_memory(plan_of(square, config, false));
  config.detection.sign = DetectionSign::both;
  EXPECT_EQ(host_memory(plan_of(square, config, false)), one + 2 * image);
  config.output.check_images = {};
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 3 * image / 2);
}

TEST(PlanMemory, AperturesNeedTheMapOfOwnersAndRowsOfTheirOwn) {
  Config config = constant_sky();
  const std::int64_t usual = sources_memory(1000, config);
  config.output.columns = {"default", "MAG_ISO"};
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 3 * image / 2);
  config.output.columns = {"NUMBER", "FLUX_APER"};
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 5 * image / 2);
  EXPECT_EQ(device_memory_beside(plan_of(square, config, false)), image);
  const std::int64_t one = sources_memory(1000, config);
  EXPECT_GT(one, usual);
  config.measurement.apertures = {3, 5, 7};
  EXPECT_GT(sources_memory(1000, config), one);
}

TEST(PlanMemory, TheNoiseOfAperturesIsMeasuredOnTheHostImageByImage) {
  Config config = constant_sky();
  config.measurement.noise = NoiseOfSums::apertures;
  EXPECT_EQ(host_memory(plan_of(square, config, false)), 5 * image / 2);
  EXPECT_EQ(device_memory_beside(plan_of(square, config, false)), 0);
  EXPECT_EQ(host_memory(plan_of(square, config, true)), 11 * image / 2);  // a difference also has its noise
}

}  // namespace
}  // namespace srcextract
