#include "pipeline/extract/backend_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <utility>

#include "stages/catalogue/sources.hpp"
#include "stages/detect/label.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/measure.hpp"
#include "stages/picture/picture.hpp"
#include "stages/sky/background.hpp"
#include "tests/support/usual_sources.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;

constexpr float nan_float = std::numeric_limits<float>::quiet_NaN();
constexpr double nan_double = std::numeric_limits<double>::quiet_NaN();

template <class T>
Buffer<T, Cpu> buffer(std::initializer_list<T> values) {
  Buffer<T, Cpu> result(std::ssize(values), Cpu{});
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

SourceSums sums(double v) {
  SourceSums s{};
  s.npix = 2;
  s.v = v;
  s.peak = 7;
  return s;
}

Sources two_sources() {
  Sources s = testing::usual_sources(2);
  for_each_column(s, [](const Column&, auto& values) { std::ranges::fill(values, 3); });
  s[columns::number] = {1, 2};
  s[columns::flux_iso] = {10.5, 20.25};
  s[columns::snr] = {nan_double, 4.0};
  return s;
}

/// What stages make of an image.
struct Made {
  Pixels<Cpu> pixels;
  Background background;
  Image<float, Cpu> image;
  Runs<Cpu> runs;
  Components<Cpu> components;
  Buffer<SourceSums, Cpu> sums, fluxes;
  Picture picture;
  Sources sources;

  /// The record that it leaves.
  operator StageRecord() const {
    StageRecord record;
    record_stage("ingest", pixels, record);
    record_stage("background", background, record);
    if (!image.pixels.empty()) record_stage("detection image", image, record);
    record_stage("threshold", runs, record);
    record_stage("label", components, record);
    record_stage("measure", sums, record);
    if (!fluxes.empty()) record_stage("flux", fluxes, record);
    if (!picture.grey.pixels.empty()) record_stage("picture", picture, record);
    record_stage("columns", sources, record);
    return record;
  }
};

/// Of a 3 x 2 image with one masked pixel and two sources of one run each.
Made record() {
  Made r;
  r.pixels.image.shape = {3, 2};
  r.pixels.image.pixels = buffer<float>({7, 7, 0, nan_float, 0, 7});
  r.pixels.masked->nan = 1;
  r.background.all = {5, 4.2, 7, 3.4, 0, 7};
  r.background.clipped = {5, 4.2, 7, 3.4, 0, 7};
  r.background.iterations = 1;
  r.background.converged = true;
  r.runs.shape = {3, 2};
  r.runs.runs = buffer<Run>({{0, 0, 2}, {1, 2, 3}});
  r.runs.row_begin = buffer<std::int64_t>({0, 1, 2});
  r.components.label = buffer<std::int32_t>({1, 2});
  r.components.counts->kept = 2;
  r.components.counts->found = 2;
  r.sums = buffer<SourceSums>({sums(14), sums(7)});
  r.sources = two_sources();
  return r;
}

StageComparison row(const StageRecord& cpu, const StageRecord& cuda, const std::string& stage) {
  for (const StageComparison& candidate : compare_records(cpu, cuda))
    if (candidate.stage == stage) return candidate;
  ADD_FAILURE() << "no stage " << stage;
  return {};
}

/// Stages that differ, joined by spaces.
std::string differing(const StageRecord& cpu, const StageRecord& cuda) {
  std::string names;
  for (const StageComparison& candidate : compare_records(cpu, cuda))
    if (candidate.mismatches > 0) names += (names.empty() ? "" : " ") + candidate.stage;
  return names;
}

TEST(Compare, EqualRecordsAgreeInEveryStageAndNaNEqualsNaN) {
  const auto comparison = compare_records(record(), record());
  ASSERT_EQ(comparison.size(), 6u);
  EXPECT_TRUE(all_equal(comparison));
  for (const StageComparison& stage : comparison) {
    EXPECT_GT(stage.elements, 0) << stage.stage;
    EXPECT_EQ(stage.worst, "") << stage.stage;
  }
  EXPECT_EQ(comparison[0].elements, 6 + 6);  // pixels, kinds of mask
  // Statistics before and after, share of zeros, iterations, converged, meshes, bad ones.
  EXPECT_EQ(comparison[1].elements, 6 + 6 + 5);
  EXPECT_EQ(comparison[2].elements, 2 * 3 + 3);  // runs, row_begin
  EXPECT_EQ(comparison[3].elements, 2 + 2);      // labels, counts
  EXPECT_EQ(comparison[4].elements, 2 * 15);     // sources times sums
  EXPECT_EQ(comparison[5].elements, 2 * 23);     // sources times columns without a sky position
}

TEST(Compare, OneFlippedPixelIsFoundWithItsPlaceAndValues) {
  Made cuda = record();
  cuda.pixels.image.pixels[5] = std::nextafter(7.0f, 8.0f);
  EXPECT_EQ(differing(record(), cuda), "ingest");
  const StageComparison ingest = row(record(), cuda, "ingest");
  EXPECT_EQ(ingest.mismatches, 1);
  EXPECT_EQ(ingest.worst, "pixel x=2 y=1: 7 on CPU, 7.0000005 on CUDA");
}

TEST(Compare, NegativeZeroIsNotZero) {
  Made cuda = record();
  cuda.pixels.image.pixels[2] = -0.0f;
  EXPECT_EQ(row(record(), cuda, "ingest").mismatches, 1);
}

TEST(Compare, NaNAgainstANumberIsTheWorstOfAll) {
  Made cuda = record();
  cuda.pixels.image.pixels[0] = -1e30f;
  cuda.pixels.image.pixels[3] = 0;
  const StageComparison ingest = row(record(), cuda, "ingest");
  EXPECT_EQ(ingest.mismatches, 2);
  EXPECT_EQ(ingest.worst, "pixel x=0 y=1: nan on CPU, 0 on CUDA");
}

TEST(Compare, TheWorstIsTheLargestDifferenceNotTheFirst) {
  Made cuda = record();
  cuda.pixels.image.pixels[0] = 8;
  cuda.pixels.image.pixels[1] = 100;
  cuda.pixels.image.pixels[5] = 9;
  const StageComparison ingest = row(record(), cuda, "ingest");
  EXPECT_EQ(ingest.mismatches, 3);
  EXPECT_THAT(ingest.worst, HasSubstr("pixel x=1 y=0: 7 on CPU, 100 on CUDA"));
}

TEST(Compare, MaskCountsAreCompared) {
  Made cuda = record();
  cuda.pixels.masked->nan = 0;
  cuda.pixels.masked->blank = 1;
  EXPECT_EQ(row(record(), cuda, "ingest").mismatches, 2);
}

TEST(Compare, StagesThatNotEveryImageHasAreComparedWhereEitherSideHasThem) {
  Made cpu = record(), cuda = record();
  for (Made* one : {&cpu, &cuda}) {
    one->image.shape = {2, 1};
    one->image.pixels = buffer<float>({1, 2});
    one->fluxes = buffer<SourceSums>({sums(3), sums(4)});
    one->picture.grey.shape = {2, 1};
    one->picture.grey.pixels = buffer<std::uint8_t>({10, 20});
  }
  EXPECT_EQ(compare_records(cpu, cuda).size(), 9u);
  EXPECT_EQ(differing(cpu, cuda), "");
  cuda.image.pixels[1] = 3;
  cuda.fluxes[0].v = 5;
  cuda.picture.grey.pixels[0] = 11;
  EXPECT_EQ(differing(cpu, cuda), "detection image flux picture");
  EXPECT_EQ(row(cpu, cuda, "picture").worst, "pixel x=0 y=0: 10 on CPU, 11 on CUDA");
  EXPECT_EQ(differing(cpu, record()), "detection image flux picture");
}

TEST(Compare, BackgroundNamesTheStatistic) {
  Made cuda = record();
  cuda.background.clipped.sigma = 3.5;
  EXPECT_EQ(differing(record(), cuda), "background");
  EXPECT_EQ(row(record(), cuda, "background").worst, "sigma after clipping: 3.4 on CPU, 3.5 on CUDA");
  cuda = record();
  cuda.background.converged = false;
  EXPECT_EQ(row(record(), cuda, "background").worst, "converged: 1 on CPU, 0 on CUDA");
}

TEST(Compare, ALongerRunIsFound) {
  Made cuda = record();
  cuda.runs.runs[0].end = 3;
  EXPECT_EQ(differing(record(), cuda), "threshold");
  EXPECT_EQ(row(record(), cuda, "threshold").worst, "end of run 0: 2 on CPU, 3 on CUDA");
}

TEST(Compare, MissingRunsAreCountedAndSaid) {
  Made cuda = record();
  cuda.runs.runs = {};
  const StageComparison threshold = row(record(), cuda, "threshold");
  EXPECT_EQ(threshold.mismatches, 2 * 3);
  EXPECT_EQ(threshold.worst, "values of row: 2 on CPU, 0 on CUDA");
}

TEST(Compare, ADifferingLabelIsFound) {
  Made cuda = record();
  cuda.components.label[1] = 1;
  EXPECT_EQ(differing(record(), cuda), "label");
  const StageComparison label = row(record(), cuda, "label");
  EXPECT_EQ(label.mismatches, 1);
  EXPECT_EQ(label.worst, "label of run 1: 2 on CPU, 1 on CUDA");
}

TEST(Compare, DifferingCountsAreFoundWhereTheLabelsAgree) {
  Made cuda = record();
  cuda.components.counts->kept = 1;
  cuda.components.counts->found = 5;
  const StageComparison label = row(record(), cuda, "label");
  EXPECT_EQ(label.mismatches, 2);
  EXPECT_EQ(label.worst, "components found: 2 on CPU, 5 on CUDA");
}

TEST(Compare, EverySumOfASourceIsCompared) {
  const auto differs = [](auto SourceSums::*member) {
    Made cuda = record();
    cuda.sums[1].*member = 99;
    return row(record(), cuda, "measure").mismatches == 1;
  };
  EXPECT_TRUE(differs(&SourceSums::npix));
  EXPECT_TRUE(differs(&SourceSums::v));
  EXPECT_TRUE(differs(&SourceSums::vx));
  EXPECT_TRUE(differs(&SourceSums::vy));
  EXPECT_TRUE(differs(&SourceSums::vxx));
  EXPECT_TRUE(differs(&SourceSums::vyy));
  EXPECT_TRUE(differs(&SourceSums::vxy));
  EXPECT_TRUE(differs(&SourceSums::peak));
  EXPECT_TRUE(differs(&SourceSums::xpeak));
  EXPECT_TRUE(differs(&SourceSums::ypeak));
  EXPECT_TRUE(differs(&SourceSums::xmin));
  EXPECT_TRUE(differs(&SourceSums::xmax));
  EXPECT_TRUE(differs(&SourceSums::ymin));
  EXPECT_TRUE(differs(&SourceSums::ymax));
  EXPECT_TRUE(differs(&SourceSums::near_masked));
}

TEST(Compare, AMissingSourceIsFoundInSumsAndColumns) {
  Made cuda = record();
  cuda.sums = buffer<SourceSums>({sums(14)});
  for_each_column(cuda.sources, [](const Column&, auto& values) { values.pop_back(); });
  EXPECT_EQ(differing(record(), cuda), "measure columns");
  EXPECT_EQ(row(record(), cuda, "measure").worst, "values of npix: 2 on CPU, 1 on CUDA");
  const StageComparison columns = row(record(), cuda, "columns");
  EXPECT_EQ(columns.elements, 2 * 23);
  EXPECT_EQ(columns.mismatches, 23);
  EXPECT_EQ(columns.worst, "values of NUMBER: 2 on CPU, 1 on CUDA");
}

TEST(Compare, AColumnIsNamedWithItsNumberAndValues) {
  Made cuda = record();
  cuda.sources[columns::flux_iso][1] = 20.5;
  EXPECT_EQ(differing(record(), cuda), "columns");
  EXPECT_EQ(row(record(), cuda, "columns").worst, "FLUX_ISO of source 2: 20.25 on CPU, 20.5 on CUDA");
}

TEST(Compare, WhatAnImageGoesThroughTwiceIsComparedTwice) {
  // The brighter side of a difference differs, the fainter one, which comes last, does not.
  StageRecord cpu, cuda;
  record_stage("measure", buffer<SourceSums>({sums(14)}), cpu);
  record_stage("measure", buffer<SourceSums>({sums(3)}), cpu);
  record_stage("measure", buffer<SourceSums>({sums(15)}), cuda);
  record_stage("measure", buffer<SourceSums>({sums(3)}), cuda);
  const auto comparison = compare_records(cpu, cuda);
  ASSERT_EQ(comparison.size(), 2u);
  EXPECT_EQ(comparison[0].stage, "measure");
  EXPECT_EQ(comparison[0].mismatches, 1);
  EXPECT_EQ(comparison[1].stage, "measure (2)");
  EXPECT_EQ(comparison[1].mismatches, 0);
}

TEST(Compare, WhatOnlyOneSideHasIsNeverAMatch) {
  StageRecord one;
  record_stage("flux", buffer<SourceSums>({sums(14)}), one);
  EXPECT_FALSE(all_equal(compare_records(one, {})));
  EXPECT_FALSE(all_equal(compare_records({}, one)));
  EXPECT_EQ(compare_records({}, one).front().mismatches, 15);
}

TEST(Compare, TwoEmptyRecordsAgree) {
  EXPECT_TRUE(all_equal(compare_records(StageRecord{}, StageRecord{})));
}

TEST(ValuesAgree, ToTheLastBitUnlessThereIsATolerance) {
  const double next = std::nextafter(1.0, 2.0);
  EXPECT_TRUE(values_agree(1.0, 1.0, 0));
  EXPECT_FALSE(values_agree(1.0, next, 0));
  EXPECT_TRUE(values_agree(1.0, next, 1e-15));
  EXPECT_TRUE(values_agree(1.0, 1.5, 0.5));
  EXPECT_FALSE(values_agree(1.0, 1.75, 0.5));
  EXPECT_FALSE(values_agree(0.0, -0.0, 0));
  EXPECT_TRUE(values_agree(nan_double, nan_double, 0));
  EXPECT_FALSE(values_agree(nan_double, 1.0, 1e300));
  EXPECT_FALSE(values_agree(std::numeric_limits<double>::infinity(), 1.0, 1e300));
}

TEST(ComparisonTable, HasALineForEveryStageAndAVerdict) {
  const std::string table = format_comparison("m31.fits", compare_records(record(), record()));
  for (const char* stage : {"ingest", "background", "threshold", "label", "measure", "columns"})
    EXPECT_THAT(table, HasSubstr(std::string("\n") + stage));
  EXPECT_THAT(table, HasSubstr("m31.fits: CPU and CUDA agree in every stage\n"));
}

TEST(ComparisonTable, NamesTheFirstStageThatDiffers) {
  Made cuda = record();
  cuda.components.label[1] = 1;
  cuda.sources[columns::flux_iso][1] = 20.5;
  const std::string table = format_comparison("m31.fits", compare_records(record(), cuda));
  EXPECT_THAT(table, HasSubstr("m31.fits: CPU and CUDA DIFFER, first in 'label'\n"));
  EXPECT_THAT(table, HasSubstr("FLUX_ISO of source 2: 20.25 on CPU, 20.5 on CUDA"));
}

TEST(ComparisonTimes, HaveTheSpeedUpOfEveryStepWithAndWithoutTransfers) {
  const BackendTimes cpu{.seconds = 0.020, .steps = {{"ingest", 0.004}, {"background", 0.012}, {"ingest", 0.002}}};
  const BackendTimes cuda{.seconds = 0.005, .steps = {{"ingest", 0.002}, {"background", 0.001}, {"ingest", 0.001}}};
  EXPECT_EQ(format_times(cpu, cuda),
            "step                  CPU ms     CUDA ms    speed-up\n"
            "ingest                 4.000       2.000         2.0\n"
            "background            12.000       1.000        12.0\n"
            "ingest                 2.000       1.000         2.0\n"
            "after ingest          12.000       1.000        12.0\n"
            "with transfers        20.000       5.000         4.0\n");
}

}  // namespace
}  // namespace srcextract
