#include "pipeline/outputs/injection/injection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "pipeline/outputs/injection/injection_tables.hpp"

namespace srcextract {
namespace {

InjectedRow row_of(double snr, double measured, double error) {
  InjectedRow row;
  row.snr = snr;
  row.found = measured > 0;
  row.truth = {snr, snr, 0, 0};
  row.measured = {measured, measured, 0, 0};
  row.error = {error, error, 1, 1};
  return row;
}

TEST(Injection, BinsHaveTheCountsMediansAndWidthsOfTheirRows) {
  std::vector<InjectedRow> rows;
  // Of nine rows at 10 sigma the pulls of peaks are -4 ... 4, and one is lost.
  for (int i = -4; i <= 4; ++i) rows.push_back(row_of(10, 10 + i * 0.5, 0.5));
  rows.push_back(row_of(10, 0, 0));
  rows.push_back(row_of(40, 41, 1));
  rows.push_back(row_of(3, 0, 0));
  const std::vector<InjectionBin> bins = summarize_rows(rows, {.least_snr = 3, .most_snr = 40});
  ASSERT_EQ(bins.size(), 3u);
  EXPECT_EQ(bins[0].low, 3);
  EXPECT_EQ(bins[0].found, 0);
  EXPECT_TRUE(std::isnan(bins[0].peak_ratio.median));
  EXPECT_EQ(bins[1].low, 10);
  EXPECT_EQ(bins[1].high, 15);
  EXPECT_EQ(bins[1].copies, 10);
  EXPECT_EQ(bins[1].found, 9);
  EXPECT_DOUBLE_EQ(bins[1].share, 0.9);
  EXPECT_DOUBLE_EQ(bins[1].peak_ratio.median, 1);
  EXPECT_DOUBLE_EQ(bins[1].pulls[injected_peak].median, 0);
  // numpy.percentile([-4 ... 4], [15.8655, 84.1345]) are -2.7308 and 2.7308.
  EXPECT_NEAR(bins[1].pulls[injected_peak].width, 2.730758, 1e-6);
  // The last bin holds its upper end.
  EXPECT_EQ(bins[2].copies, 1);
  EXPECT_EQ(bins[2].high, 40);
  EXPECT_TRUE(std::isnan(bins[2].pulls[injected_peak].width)) << "of one row";
}

TEST(Injection, UnknownNumbersAreNullInJson) {
  Injection injection;
  injection.rows = {row_of(5, 0, 0)};
  injection.bins = summarize_rows(injection.rows, injection.plan);
  const auto json = injection_json(injection);
  EXPECT_EQ(json["injected"], 1);
  EXPECT_TRUE(json["bins"][0]["total_bias"].is_null());
  EXPECT_TRUE(json["bins"][0]["pulls"]["peak"][0].is_null());
  injection.problem = "there is no shape";
  EXPECT_EQ(injection_json(injection)["problem"], "there is no shape");
  EXPECT_FALSE(injection_json(injection).contains("bins"));
}

}  // namespace
}  // namespace srcextract
