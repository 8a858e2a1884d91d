#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipeline/outputs/report/page_text.hpp"
#include "pipeline/outputs/report/survey_numbers.hpp"
#include "pipeline/outputs/report/survey_page.hpp"
#include "pipeline/outputs/report/survey_plots.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

/// A survey whose images have these records, the unit "adu" and no header.
struct TestPage {
  std::vector<SurveyImage> records;
  std::function<std::string(std::size_t)> unit_of = [](std::size_t) { return "adu"; };
  std::vector<SkyPlace> places = {};
  std::vector<std::string> warnings = {};

  template <class F>
  auto with_facts(F&& f) const {
    const SurveyImages images(records);
    const PackedHeaders headers(std::vector<ImageHeader>(records.size()));
    const std::vector<std::string> directories = {"out"};
    std::vector<SkyPlace> all_places = places;
    all_places.resize(records.size());
    return f(
        SurveyFacts{"survey.fits", "survey.report.html", images, directories, unit_of, headers, all_places, warnings});
  }
  std::string html() const { return with_facts(make_survey_page); }
  SurveyNumbers numbers() const { return with_facts(survey_numbers); }

  Json data() const {
    const std::string page = html(), begin = "id=\"data\">";
    const std::size_t at = page.find(begin) + begin.size();
    return Json::parse(page.substr(at, page.find("</script>", at) - at));
  }
};

SurveyImage image_of(const std::string& name, std::int64_t sources, double level = 100, double noise = 4) {
  ImageRecord record;
  record.name = name;
  record.path = "/sky/" + name;
  record.done = true;
  record.sources = sources;
  record.background = level;
  record.sigma = noise;
  return {record, 0};
}

SurveyImage failure_of(const std::string& name, const std::string& reason) {
  SurveyImage image = image_of(name, 0);
  image.record.done = false;
  image.record.kind = "input";
  image.record.reason = reason;
  return image;
}

TEST(SurveyPage, OfNoImageAndOfFailuresAlone) {
  EXPECT_THAT(TestPage{{}}.html(), HasSubstr("0 images, 0 failed; 0 sources"));
  const TestPage failed{{failure_of("a.fits", "gone")}};
  EXPECT_THAT(failed.html(), HasSubstr("1 image, 1 failed; 0 sources"));
  EXPECT_TRUE(failed.data()["histogram"].is_null());
  EXPECT_EQ(failed.data()["failed"].dump(), "[0]");
}

TEST(SurveyPage, IsBoundedForAnyNumberOfImagesAndAnyName) {
  TestPage page;
  const std::string name(1000, '"');
  for (int i = 0; i < 20'000; ++i) {
    const std::string number = std::to_string(i);
    if (i % 2 == 0) page.records.push_back(image_of(number + name, i % 977, 100 + i % 89, 4 + i % 101));
    if (i % 2 == 1) page.records.push_back(failure_of(number + name, std::string(900, '<') + number + name));
    page.places.push_back({static_cast<float>(i * 7919 % 36000) / 100, static_cast<float>(i % 179) - 89});
    page.warnings.push_back(name + number);
  }
  page.unit_of = [&](std::size_t i) { return name + std::to_string(i); };
  const std::string html = page.html();
  EXPECT_LE(html.size(), most_report_bytes);
  EXPECT_THAT(html, HasSubstr("20000 images, 10000 failed"));
  const Json data = page.data();
  EXPECT_GT(data["rows"].size(), 400U);
  std::int64_t on_map = 0, in_bars = data["histogram"]["beyond"];
  for (const Json& cell : data["map"]) on_map += cell[2].get<std::int64_t>();
  for (const Json& count : data["histogram"]["counts"]) in_bars += count.get<std::int64_t>();
  EXPECT_EQ(on_map, 20'000);
  EXPECT_EQ(in_bars, 10'000);
}

TEST(SurveyPage, TextsAreEscaped) {
  TestPage page{{image_of("</script><b>.fits", 1), failure_of("c.fits", "<i>&\"\x1b[31m")}};
  page.warnings = {"<u>"};
  page.unit_of = [](std::size_t) { return "</script><s>"; };
  const std::string html = page.html();
  for (const char* tag : {"<b>", "<i>", "<u>", "<s>", "\x1b"}) EXPECT_THAT(html, Not(HasSubstr(tag)));
  EXPECT_EQ(page.data()["unit"], "</script><s>");
}

TEST(SurveyPage, FailuresThatDifferInNamesAndNumbersAreOneGroup) {
  const std::string html = TestPage{{failure_of("a.fits", "HDU 1 of x/a.fits has 3 bytes"),
                                     failure_of("b.fits", "HDU 12 of y/b.fits has 40 bytes"),
                                     failure_of("c d.fits", "HDU 1 of x/c d.fits has 5 bytes"),
                                     failure_of("e.fits", "HDU 1 of x/e.fits has 5 rows")}}
                               .html();
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">3</td><td>HDU 1 of x/a.fits has 3 bytes"));
  EXPECT_THAT(html, HasSubstr("<td>a.fits, b.fits, c d.fits</td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"number\">1</td><td>HDU 1 of x/e.fits has 5 rows</td>"));
}

TEST(SurveyNumbers, LevelsAreComparedAmongImagesOfOneUnit) {
  TestPage page;
  for (int i = 0; i < 20; ++i) page.records.push_back(image_of(std::to_string(i), 10, i < 10 ? 100 + i : 0.1 * i));
  page.records[15].record.background = 5;
  page.unit_of = [](std::size_t i) { return i < 10 ? "adu" : "Jy"; };
  const SurveyNumbers numbers = page.numbers();
  EXPECT_THAT(numbers.units, ElementsAre("adu", "Jy"));
  const std::vector<Distance> distances = distances_of(numbers);
  EXPECT_EQ(images_that_stand_out(numbers, distances, 1), std::vector<std::size_t>{15});
  EXPECT_EQ(distances[15].of, ImageValue::level);
  EXPECT_LT(distances[0].sigmas, 2);
}

TEST(SurveyNumbers, OneOtherValueAmongEqualOnesIsFarAndNaNIsInfinitelyFar) {
  TestPage page;
  for (int i = 0; i < 9; ++i)
    page.records.push_back(image_of(std::to_string(i), i == 4 ? 3 : 7, 100, i == 6 ? std::nan("") : 4));
  const std::vector<Distance> distances = distances_of(page.numbers());
  EXPECT_NEAR(distances[4].sigmas, 4 / (1.2533 * 4 / 9), 1e-4);
  EXPECT_TRUE(std::isinf(distances[6].sigmas));
  EXPECT_EQ(distances[0].sigmas, 0);
  EXPECT_TRUE(page.data()["rows"][0][5].is_null());
}

TEST(SurveyNumbers, FailuresLeaveRoomForOthers) {
  TestPage page;
  for (int i = 0; i < 100; ++i) page.records.push_back(i < 60 ? failure_of("a", "b") : image_of("c", i));
  const SurveyNumbers numbers = page.numbers();
  const std::vector<std::size_t> shown = images_that_stand_out(numbers, distances_of(numbers), 40);
  EXPECT_EQ(shown.size(), 40U);
  EXPECT_EQ(shown[9], 9U);
  EXPECT_GE(shown[10], 60U);
  EXPECT_EQ(images_that_stand_out(numbers, distances_of(numbers), 80).size(), 80U);
  EXPECT_EQ(images_that_stand_out(numbers, distances_of(numbers), 1000).size(), 100U);
}

TEST(SurveyPlots, RightAscensionsBeginWhereTheWidestGapEnds) {
  EXPECT_EQ(first_ra({}), 0);
  EXPECT_EQ(first_ra({{}}), 0);
  EXPECT_EQ(first_ra({{150.5F, 0}, {152, 0}}), 150);
  EXPECT_EQ(first_ra({{359.5F, 0}, {2, 0}, {357, 0}}), 357);
  EXPECT_EQ(first_ra({{0, 0}, {180, 0}, {90, 0}}), 0);
  EXPECT_EQ(turned_ra(2, 357), 362);
}

}  // namespace
}  // namespace srcextract
