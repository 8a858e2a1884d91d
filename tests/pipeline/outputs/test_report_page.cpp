#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/report/report_data.hpp"
#include "pipeline/outputs/report/report_files.hpp"
#include "pipeline/outputs/report/report_pictures.hpp"
#include "pipeline/outputs/report_columns.hpp"
#include "tests/support/usual_sources.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

/// Sources without a value, but for what reports read: row i has the flux i + 1.
Sources sources_of(std::size_t rows) {
  Sources sources = testing::usual_sources(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    sources[columns::number][i] = static_cast<std::int32_t>(i + 1);
    sources[columns::flux_iso][i] = static_cast<double>(i + 1);
    sources[columns::fluxerr_iso][i] = 0.1;
    sources[columns::x_image][i] = sources[columns::y_image][i] = 1 + static_cast<double>(i % 60);
    sources[columns::a_image][i] = sources[columns::b_image][i] = 2;
  }
  return sources;
}

/// An extraction with noise of sigma 1.
Extraction extraction_of(Sources sources, Shape shape = {61, 50}) {
  Extraction extraction;
  extraction.sources = std::move(sources);
  extraction.background.clipped = {
      .count = shape.count(), .mean = 100, .median = 100, .sigma = 1, .min = 97, .max = 103};
  extraction.levels.detection = 105;
  extraction.levels.background = 100;
  extraction.check.above = Image<float, Cpu>(shape, Cpu{});
  for (std::int64_t i = 0; i < shape.count(); ++i)
    extraction.check.above.pixels[i] = static_cast<float>((i * 7919) % 13) / 4 - 1.5F;
  return extraction;
}

ReportData data_of(const Extraction& extraction, std::size_t most_bytes = 900'000,
                   const std::string& name = "sky.fits") {
  const std::vector<ReportColumn> columns = report_columns(extraction.sources, {});
  const ReportLight light = report_light(columns, static_cast<std::size_t>(extraction.sources.size()), 25);
  const ReportPictures pictures = render_pictures(extraction, columns, light.order, {}, {});
  return report_data({extraction, {}, columns, light, pictures, name, "count"}, most_bytes, {});
}

TEST(Report, HasARowForEachSourceTheBrightestFirst) {
  const Json json = Json::parse(data_of(extraction_of(sources_of(70))).json);
  ASSERT_EQ(json["rows"].size(), 70U);
  ASSERT_EQ(json["shapes"].size(), 70U);
  for (std::size_t i = 0; i < 70; ++i) {
    EXPECT_EQ(json["columns"][0][0], "NUMBER");
    EXPECT_EQ(json["rows"][i][0], 70 - static_cast<int>(i));
    EXPECT_EQ(json["rows"][i].size(), json["columns"].size());
  }
  EXPECT_NEAR(json["points"][0][1].get<double>(), 25 - 2.5 * std::log10(70), 1e-3);
  EXPECT_NEAR(json["points"][0][2].get<double>(), 2.5 / std::log(10) * 0.1 / 70, 1e-6);
}

TEST(Report, CountsEverySourceAndPixelOnce) {
  const Json json = Json::parse(data_of(extraction_of(sources_of(70))).json);
  std::int64_t sources = 0, pixels = 0;
  for (const Json& count : json["counts"]["counts"]) sources += count.get<std::int64_t>();
  for (const Json& count : json["histogram"]["counts"]) pixels += count.get<std::int64_t>();
  EXPECT_EQ(sources, 70);
  EXPECT_EQ(pixels, 61 * 50);
  EXPECT_EQ(json["histogram"]["clip"], 3.0);
  EXPECT_EQ(json["histogram"]["threshold"], 5.0);
}

TEST(Report, ValuesThatAreNotFiniteAreValidJson) {
  Sources sources = sources_of(5);
  sources[columns::flux_iso] = {nan, inf, -inf, -3, 7};
  sources[columns::x_image][4] = nan;
  sources[columns::a_image] = {nan, inf, 0, -1, 2};
  const Json json = Json::parse(data_of(extraction_of(sources)).json);
  ASSERT_EQ(json["rows"].size(), 5U);
  EXPECT_EQ(json["rows"][0][0], 5) << "the only one with a magnitude";
  EXPECT_TRUE(json["shapes"][0][0].is_null());
  EXPECT_EQ(json["points"].size(), 1U);
  std::vector<Json> fluxes;
  for (std::size_t i = 0; i < json["columns"].size(); ++i)
    if (json["columns"][i][0] == "FLUX_ISO")
      for (const Json& row : json["rows"]) fluxes.push_back(row[i]);
  EXPECT_THAT(fluxes, ::testing::ElementsAre(7, nullptr, "inf", "-inf", -3));
}

TEST(Report, NoSources) {
  const Json json = Json::parse(data_of(extraction_of(sources_of(0))).json);
  EXPECT_TRUE(json["rows"].empty());
  EXPECT_TRUE(json["points"].empty());
  EXPECT_TRUE(json["counts"]["counts"].empty());
}

TEST(Report, OfVeryManySourcesItHasTheBrightestThatFit) {
  const Extraction extraction = extraction_of(sources_of(100'000));
  for (const std::size_t most : {150'000, 300'000}) {
    const ReportData data = data_of(extraction, most);
    EXPECT_LE(data.json.size(), most);
    EXPECT_GT(data.json.size(), most - 1000);
    const Json json = Json::parse(data.json);
    EXPECT_EQ(json["total"], 100'000);
    EXPECT_EQ(json["rows"].size(), data.rows);
    EXPECT_GT(data.rows, 100U);
    EXPECT_EQ(json["rows"][0][0], 100'000);
    EXPECT_LE(json["points"].size(), 3000U);
  }
  EXPECT_EQ(data_of(extraction, 0).rows, 0U);
  const ReportData all = data_of(extraction, 9'000'000);
  EXPECT_EQ(all.rows, 5000U) << "a browser draws them at each move";
  EXPECT_GT(Json::parse(all.json)["shapes"].size(), 10'000U) << "further sources are drawn without a row";
  EXPECT_LT(all.json.size(), 1'500'000U);
}

TEST(Report, NoTextEndsTheScriptThatHoldsIt) {
  const ReportData data = data_of(extraction_of(sources_of(3)), 900'000, "</script><script>alert(1)</script>\xff");
  EXPECT_THAT(data.json, Not(HasSubstr("<")));
  EXPECT_EQ(Json::parse(data.json)["name"], "</script><script>alert(1)</script>\xef\xbf\xbd");
}

TEST(Report, APlaceInTheTextOfAnotherIsLeftAlone) {
  EXPECT_EQ(fill_page("<{{a}}|{{b}}>", {{"a", "{{b}}"}, {"b", "{{a}}"}}), "<{{b}}|{{a}}>");
  EXPECT_THROW(fill_page("{{c}}", {{"a", ""}}), std::out_of_range);
}

TEST(Report, WarningsAreEscaped) {
  EXPECT_THAT(warnings_html({"<b> & \"c\""}), HasSubstr("<li>&lt;b&gt; &amp; &quot;c&quot;</li>"));
  EXPECT_EQ(warnings_html({}), "");
}

TEST(Report, PicturesOfAnyShape) {
  for (const Shape& shape : {Shape{1, 1}, Shape{3000, 1}, Shape{1, 3000}, Shape{2049, 700}}) {
    const Extraction extraction = extraction_of(sources_of(1), shape);
    const ReportPictures pictures =
        render_pictures(extraction, report_columns(extraction.sources, {}), std::vector<std::size_t>{0}, {}, {});
    EXPECT_LE(std::max(pictures.image.shape.width, pictures.image.shape.height), 1024);
    EXPECT_THAT(pictures.image.address, ::testing::StartsWith("data:image/png;base64,iVBORw0KGgo"));
    EXPECT_TRUE(pictures.sky.is_constant);
    EXPECT_EQ(pictures.sky.black, 100);
    EXPECT_TRUE(pictures.noise.is_constant);
    EXPECT_EQ(pictures.stamps.has_value(), pictures.image.factor > 1);
    EXPECT_FALSE(pictures.residual) << "there is no segmentation";
  }
}

TEST(Report, ThePageAsksForNothing) {
  const std::string text = report_page() + survey_page() + report_style() + report_script() + survey_script();
  for (const char* outside : {"http://", "https://", "//cdn", "@import", "fetch(", "XMLHttpRequest"})
    EXPECT_THAT(text, Not(HasSubstr(outside)));
}

}  // namespace
}  // namespace srcextract
