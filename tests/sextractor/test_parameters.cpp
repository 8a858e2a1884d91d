#include "sextractor/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/config_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::sextractor {
namespace {

using srcextract::testing::TemporaryFolder;
using ::testing::StartsWith;

std::vector<std::string> columns_of(const std::string& text) {
  const TemporaryFolder folder;
  std::vector<std::string> texts;
  std::vector<UnknownName> unknown;
  for (const Parameter& parameter : read_parameters(folder.write("x.param", text), unknown))
    texts.push_back(parameter.text());
  return texts;
}

std::string columns_error(const std::string& text) {
  const TemporaryFolder folder;
  std::vector<UnknownName> unknown;
  const std::string message =
      srcextract::testing::config_error([&] { read_parameters(folder.write("x.param", text), unknown); });
  return message.starts_with(folder.string()) ? message.substr(folder.string().size() + 1) : message;
}

// SExtractor 2.25 takes each of these lines so; it says so in the header of its catalogue.
TEST(SextractorParameters, LinesAreReadAsSextractorReadsThem) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(columns_of("NUMBER\n# X_IMAGE\n\n  Y_IMAGE # along y\nFLUX_APER(3)#c\n"),
            (Names{"NUMBER", "Y_IMAGE", "FLUX_APER(3)"}));
  // As -dp prints them, once the # is taken away.
  EXPECT_EQ(columns_of("NUMBER                   Running object number\r\nFLUX_ISO   Isophotal flux   [count]\r\n"),
            (Names{"NUMBER", "FLUX_ISO"}));
  EXPECT_EQ(columns_of("VIGNET(35,35)\nFLUX_APER[2]\nFLUX_RADIUS\n"),
            (Names{"VIGNET(35,35)", "FLUX_APER(2)", "FLUX_RADIUS"}));
  EXPECT_EQ(columns_of("VIGNET(5 7)\n"), Names{"VIGNET(5,7)"});
  EXPECT_EQ(columns_of("X_IMAGE\nX_IMAGE\n"), Names{"X_IMAGE"});
}

TEST(SextractorParameters, ColumnsThatSextractorDoesNotKnowArePassedOver) {
  const TemporaryFolder folder;
  std::vector<UnknownName> unknown;
  const std::vector<Parameter> known = read_parameters(folder.write("x.param", "NUMBER\nX_PIXEL\nFLAGS\n"), unknown);
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[1].name, "FLAGS");
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown[0].name, "X_PIXEL");
  EXPECT_EQ(unknown[0].place, (folder / "x.param") + ":2");
}

TEST(SextractorParameters, MistakesAreAnsweredWhereTheyStand) {
  EXPECT_EQ(columns_error("NUMBER\nX_IMGE\n"), "x.param:2: SExtractor has no column 'X_IMGE'; did you mean 'X_IMAGE'?");
  EXPECT_EQ(columns_error("x_image\n"), "x.param:1: SExtractor has no column 'x_image'; did you mean 'X_IMAGE'?");
  EXPECT_THAT(columns_error("X_IMAGE,Y_IMAGE\n"), StartsWith("x.param:1: SExtractor has no column 'X_IMAGE,Y_IMAGE'"));
  EXPECT_THAT(columns_error("\"X_IMAGE\"\n"), StartsWith("x.param:1: SExtractor has no column '\"X_IMAGE\"'"));
  EXPECT_THAT(columns_error("X_PIXEL\n"), StartsWith("x.param: names no column"));
  EXPECT_THAT(columns_error("default\n"), StartsWith("x.param:1: SExtractor has no column 'default'"));
  for (const char* line :
       {"FLUX_APER(0)", "FLUX_APER(4097)", "FLUX_APER()", "FLUX_APER(x)", "FLUX_APER(2", "FLUX_APER(-1)",
        "VIGNET(5,5,5)", "VIGNET[5][5]", "FLUX_APER(2]", "FLUX_APER(", "FLUX_APER(99999999999)", "VIGNET(5,)"})
    EXPECT_THAT(columns_error(line), StartsWith("x.param:1: ")) << line;
  EXPECT_THAT(columns_error("FLUX_APER (3)\n"),
              StartsWith("x.param:1: between FLUX_APER and its size must be no blank"));
  EXPECT_THAT(columns_error("# NUMBER\n"), StartsWith("x.param: names no column"));
  EXPECT_THAT(columns_error(""), StartsWith("x.param: names no column"));
}

TEST(SextractorParameters, HowManyValuesAreAskedFor) {
  const std::vector<Parameter> parameters = {{"MAG_APER", {2}, ""}, {"FLUX_APER", {}, ""}, {"NUMBER", {}, ""}};
  EXPECT_EQ(most_values(parameters, {"FLUX_APER", "MAG_APER"}), 2);
  EXPECT_EQ(most_values(parameters, {"FLUX_APER"}), 1);
  EXPECT_EQ(most_values(parameters, {"FLUX_RADIUS"}), 0);
}

}  // namespace
}  // namespace srcextract::sextractor
