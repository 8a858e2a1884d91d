#include "sextractor/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/config_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::sextractor {
namespace {

using srcextract::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Configuration read(const std::string& text) {
  const TemporaryFolder folder;
  return read_configuration(folder.write("x.sex", text));
}

/// The error, less the folder.
std::string error(const std::string& text) {
  const TemporaryFolder folder;
  const std::string message =
      srcextract::testing::config_error([&] { read_configuration(folder.write("x.sex", text)); });
  return message.starts_with(folder.string()) ? message.substr(folder.string().size() + 1) : message;
}

// What SExtractor 2.25 makes of these lines was seen in the XML that it writes (WRITE_XML).
TEST(SextractorConfiguration, LinesAreReadAsSextractorReadsThem) {
  struct Line {
    const char* text;
    const char* key;
    std::vector<std::string> values;
  };
  const Line lines[] = {
      {"DETECT_THRESH 4", "DETECT_THRESH", {"4"}},
      {"  detect_thresh\t4  # sigma", "DETECT_THRESH", {"4"}},
      {"DETECT_THRESH=4", "DETECT_THRESH", {"4"}},
      {"DETECT_THRESH,4", "DETECT_THRESH", {"4"}},
      {"DETECT_THRESH \"4\"", "DETECT_THRESH", {"4"}},
      {"DETECT_THRESH 4#sigma", "DETECT_THRESH", {"4"}},
      {"DETECT_THRESH 4 , 25", "DETECT_THRESH", {"4", "25"}},
      {"DETECT_THRESH 4;25\r", "DETECT_THRESH", {"4", "25"}},
      {"PHOT_APERTURES 5,10 15", "PHOT_APERTURES", {"5", "10", "15"}},
      {"PHOT_APERTURES ,1,,2,", "PHOT_APERTURES", {"1", "2"}},
      {"DETECT_MINAREA 5 6", "DETECT_MINAREA", {"5"}},
      {"FILTER y or n", "FILTER", {"y"}},
      {"CATALOG_NAME a b.cat", "CATALOG_NAME", {"a"}},
      {"CATALOG_NAME 'q.cat'", "CATALOG_NAME", {"'q.cat'"}},
      {"CATALOG_NAME a#b.cat", "CATALOG_NAME", {"a#b.cat"}},
      {"WEIGHT_THRESH   # none", "WEIGHT_THRESH", {}},
      {"CHECKIMAGE_TYPE -background,Segmentation", "CHECKIMAGE_TYPE", {"-background", "Segmentation"}},
  };
  for (const Line& line : lines)
    EXPECT_EQ(read(std::string(line.text) + "\n")[line.key].values, line.values) << line.text;
}

TEST(SextractorConfiguration, WordsAndSwitchesAreOfAnyCase) {
  const Configuration read_back = read("THRESH_TYPE absolute\nCLEAN no\nFILTER yes\nWEIGHT_TYPE map_weight,None\n");
  EXPECT_EQ(read_back["THRESH_TYPE"].word(), "ABSOLUTE");
  EXPECT_EQ(read_back["THRESH_TYPE"].word(1), "ABSOLUTE");  // the last stands for those that are missing
  EXPECT_FALSE(read_back["CLEAN"].yes());
  EXPECT_TRUE(read_back["FILTER"].yes());
  EXPECT_EQ(read_back["WEIGHT_TYPE"].word(0), "MAP_WEIGHT");
  EXPECT_EQ(read_back["WEIGHT_TYPE"].word(1), "NONE");
}

TEST(SextractorConfiguration, WhatIsMissingHasItsDefault) {
  const Configuration read_back = read("\xef\xbb\xbf# a comment\n\nGAIN 2\n");
  EXPECT_TRUE(read_back["GAIN"].is_set());
  EXPECT_EQ(read_back["DETECT_THRESH"].numbers(), std::vector<double>{1.5});
  EXPECT_FALSE(read_back["DETECT_THRESH"].is_set());
  EXPECT_THAT(read_back["PHOT_AUTOPARAMS"].numbers(), ElementsAre(2.5, 3.5));
  EXPECT_THAT(read_back["WEIGHT_THRESH"].values, IsEmpty());
}

TEST(SextractorConfiguration, TheLastOfAKeyCountsAndBothPlacesAreKnown) {
  const Setting setting = read("DETECT_THRESH 2\nGAIN 1\ndetect_thresh 3\n")["DETECT_THRESH"];
  EXPECT_EQ(setting.number(), 3);
  EXPECT_THAT(setting.place, ::testing::EndsWith("x.sex:3"));
  EXPECT_THAT(setting.before, ::testing::EndsWith("x.sex:1"));
}

TEST(SextractorConfiguration, VariablesOfTheEnvironment) {
  setenv("SRCEXTRACT_TEST_A", "/data", 1);
  setenv("SRCEXTRACT_TEST_B", "$SRCEXTRACT_TEST_A", 1);
  EXPECT_EQ(read("CATALOG_NAME ${SRCEXTRACT_TEST_A}x.cat\n")["CATALOG_NAME"].word(), "/datax.cat");
  EXPECT_EQ(read("CATALOG_NAME p${SRCEXTRACT_TEST_A}q${SRCEXTRACT_TEST_A}r\n")["CATALOG_NAME"].word(), "p/dataq/datar");
  EXPECT_EQ(read("CATALOG_NAME $SRCEXTRACT_TEST_A/x.cat\n")["CATALOG_NAME"].word(), "/data/x.cat");
  // What a variable holds is no variable.
  EXPECT_EQ(read("CATALOG_NAME ${SRCEXTRACT_TEST_B}\n")["CATALOG_NAME"].word(), "$SRCEXTRACT_TEST_A");
  EXPECT_EQ(
      error("GAIN 1\nCATALOG_NAME $SRCEXTRACT_NO_SUCH.cat\n"),
      "x.sex:2: the environment has no variable 'SRCEXTRACT_NO_SUCH.cat'; a name goes on to a /, a : or the end of "
      "the value, "
      "unless it is written ${NAME}");
  EXPECT_THAT(error("CATALOG_NAME ${SRCEXTRACT_TEST_A\n"), StartsWith("x.sex:1: the ${ of "));
  EXPECT_THAT(error("CATALOG_NAME a$\n"), StartsWith("x.sex:1: the environment has no variable ''"));
}

TEST(SextractorConfiguration, MistakesAreAnsweredWhereTheyStand) {
  struct Wrong {
    const char* text;
    const char* message;
  };
  const Wrong cases[] = {
      {"GAIN 1\nDETECT_TRESH 3\n", "x.sex:2: SExtractor has no key 'DETECT_TRESH'; did you mean 'DETECT_THRESH'?"},
      {"DETECT_THRESH 4\\\n5\n", "x.sex:1: DETECT_THRESH must be a number, not '4\\'"},
      {"DETECT_THRESH:4\n", "x.sex:1: SExtractor has no key 'DETECT_THRESH:4'; did you mean 'DETECT_THRESH'?"},
      {"DETECT_THRESH abc\n", "x.sex:1: DETECT_THRESH must be a number, not 'abc'"},
      {"DETECT_THRESH 3x\n", "x.sex:1: DETECT_THRESH must be a number, not '3x'"},
      {"DETECT_THRESH nan\n", "x.sex:1: DETECT_THRESH must be a number, not 'nan'"},
      {"DETECT_THRESH 1 2 3\n", "x.sex:1: DETECT_THRESH has 3 values; SExtractor takes 1 to 2"},
      {"DETECT_THRESH # 3\n", "x.sex:1: DETECT_THRESH has no value; SExtractor's default is 1.5"},
      {"DETECT_THRESH", "x.sex:1: DETECT_THRESH has no value"},
      {"PHOT_AUTOPARAMS 2.5\n", "x.sex:1: PHOT_AUTOPARAMS has 1 value; SExtractor takes 2"},
      {"DETECT_MINAREA 1e1\n", "x.sex:1: DETECT_MINAREA must be a whole number, not '1e1'"},
      {"DETECT_MINAREA .5\n", "x.sex:1: DETECT_MINAREA must be a whole number, not '.5'"},
      {"DETECT_MINAREA 5.x\n", "x.sex:1: DETECT_MINAREA must be a whole number, not '5.x'"},
      {"DETECT_MINAREA 0x10\n",
       "x.sex:1: DETECT_MINAREA must be a whole number, not '0x10'; SExtractor takes it for 16"},
      {"BACK_SIZE 064\n", "x.sex:1: BACK_SIZE must be a whole number, not '064'; SExtractor takes it for 52"},
      {"DETECT_MINAREA 0.9\n", "x.sex:1: DETECT_MINAREA must be above 0, not 0; SExtractor refuses it as well"},
      {"PIXEL_SCALE 0.3arcsec\n", "x.sex:1: PIXEL_SCALE must be a number, not '0.3arcsec'"},
      {"DETECT_MINAREA 99999999999\n", "x.sex:1: DETECT_MINAREA must be a whole number"},
      {"DETECT_THRESH 0\n", "x.sex:1: DETECT_THRESH must be above 0, not 0; SExtractor refuses it as well"},
      {"BACK_SIZE 64,0\n", "x.sex:1: BACK_SIZE must be above 0, not 0"},
      {"DETECT_MINAREA -3\n", "x.sex:1: DETECT_MINAREA must be above 0, not -3"},
      {"PHOT_FLUXFRAC 0.5,1.5\n", "x.sex:1: PHOT_FLUXFRAC must be at most 1, not 1.5; SExtractor refuses it as well"},
      {"PHOT_APERTURES -1,3\n", "x.sex:1: PHOT_APERTURES must be at least 0, not -1; SExtractor refuses it as well"},
      {"# ours\ndetection:\n  threshold: 3\n",
       "x.sex:2: 'detection:' is a section of a configuration of srcextract: the file is none of SExtractor's"},
      {"input: {hdu: 0}\n", "x.sex:1: 'input:' is a section of a configuration of srcextract"},
      {"thing:\n", "x.sex: sets no key of SExtractor's"},
      {"FILTER maybe\n", "x.sex:1: FILTER must be Y or N, not 'maybe'"},
      {"MASK_TYPE CORECT\n",
       "x.sex:1: MASK_TYPE must be one of NONE, BLANK, CORRECT, not 'CORECT'; did you mean 'CORRECT'?"},
      {"WEIGHT_TYPE MAP_VARIANCE\n",
       "x.sex:1: WEIGHT_TYPE must be one of NONE, BACKGROUND, MAP_RMS, MAP_VAR, MAP_WEIGHT, not 'MAP_VARIANCE'"},
      {"# nothing\n\n", "x.sex: sets no key of SExtractor's"},
      {"", "x.sex: sets no key of SExtractor's"},
      {"GAIN 1\nGAIN \x01\n", "x.sex:2: a control character"},
  };
  for (const Wrong& wrong : cases) EXPECT_THAT(error(wrong.text), StartsWith(wrong.message)) << wrong.text;
  EXPECT_THAT(error(std::string(2U << 20U, '#')), HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(error(std::string("GAIN 1\0", 7)), StartsWith("x.sex:1: "));
  const TemporaryFolder folder;
  EXPECT_THAT(srcextract::testing::config_error([&] { read_configuration(folder.string()); }),
              HasSubstr("is a directory"));
  EXPECT_THAT(srcextract::testing::config_error([&] { read_configuration(folder / "none.sex"); }),
              HasSubstr("none.sex"));
}

TEST(SextractorConfiguration, KeysThatSextractorDoesNotKnowArePassedOver) {
  const Configuration old = read("GAIN 2\nPSFDISPLAY_TYPE SPLIT\n! x\n");
  EXPECT_EQ(old["GAIN"].number(), 2);
  ASSERT_EQ(old.unknown().size(), 2U);
  EXPECT_EQ(old.unknown()[0].name, "PSFDISPLAY_TYPE");
  EXPECT_THAT(old.unknown()[0].place, EndsWith("x.sex:2"));
  EXPECT_EQ(old.unknown()[1].name, "!");
}

TEST(SextractorConfiguration, OptionsSetKeysTheSameWay) {
  Configuration configuration;
  configuration.set("Phot_Apertures", "3,5", "-PHOT_APERTURES");
  EXPECT_THAT(configuration["PHOT_APERTURES"].numbers(), ElementsAre(3, 5));
  EXPECT_EQ(configuration["PHOT_APERTURES"].text(), "PHOT_APERTURES 3,5");
  EXPECT_EQ(srcextract::testing::config_error([&] { configuration.set("GAIN", "x", "-GAIN"); }),
            "-GAIN: GAIN must be a number, not 'x'; SExtractor takes it for 0: write that number for the same");
}

TEST(SextractorConfiguration, WhatComesToTheDefaultIsUsual) {
  const Configuration same = read("DETECT_THRESH 1.50\nPHOT_AUTOPARAMS 2.5, 3.5\nTHRESH_TYPE relative\nGAIN 0\n");
  for (const char* key : {"DETECT_THRESH", "PHOT_AUTOPARAMS", "THRESH_TYPE", "GAIN"})
    EXPECT_TRUE(same[key].is_usual()) << key;
  EXPECT_FALSE(read("DETECT_THRESH 1.5,25\n")["DETECT_THRESH"].is_usual());
}

}  // namespace
}  // namespace srcextract::sextractor
