#include "regression/columns/known_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(const std::vector<std::string>& columns, const SideRules& rules = {}) {
  std::vector<std::string> result;
  for (const Meaning& meaning : meanings_of(columns, rules, "a.fits")) result.push_back(meaning.name);
  return result;
}

TEST(KnownColumns, SExtractorsKeepTheirNames) {
  EXPECT_THAT(names({"NUMBER", "X_IMAGE", "FLUX_AUTO", "FLUX_APER_1", "whatever"}),
              ElementsAre("NUMBER", "X_IMAGE", "FLUX_AUTO", "FLUX_APER_1", "whatever"));
  EXPECT_THAT(names({"ISOAREA_IMAGE"}), ElementsAre("NPIX"));
}

TEST(KnownColumns, SepsBecomeSExtractorsInNameAndConvention) {
  const std::vector<Meaning> meanings = meanings_of({"npix", "x", "y", "theta", "a", "flux", "flag", "xmin"}, {}, "");
  EXPECT_THAT(names({"npix", "x", "y", "theta", "a", "flux", "flag", "xmin"}),
              ElementsAre("NPIX", "X_IMAGE", "Y_IMAGE", "THETA_IMAGE", "A_IMAGE", "FLUX_ISO", "flag", "XMIN_IMAGE"));
  EXPECT_EQ(meanings[1].offset, 1);
  EXPECT_EQ(meanings[7].offset, 1);
  EXPECT_EQ(meanings[5].offset, 0);
  EXPECT_DOUBLE_EQ(meanings[3].factor, 180 / std::numbers::pi);
  EXPECT_EQ(meanings[4].factor, 1);
}

TEST(KnownColumns, ANameOfTheReportIsNotTakenByAnother) {
  EXPECT_THAT(names({"NPIX", "ISOAREA_IMAGE"}), ElementsAre("NPIX", "ISOAREA_IMAGE"));
  EXPECT_THAT(names({"ISOAREA_IMAGE", "ISOAREAF_IMAGE"}), ElementsAre("ISOAREA_IMAGE", "NPIX"));
  EXPECT_THAT(names({"ISOAREA_IMAGE", "NPIX"}), ElementsAre("ISOAREA_IMAGE", "NPIX"));
  EXPECT_THAT(names({"RA", "ra", "DEC"}), ElementsAre("ALPHA_J2000", "ra", "DELTA_J2000"));
}

TEST(KnownColumns, TheRulesNameOthersAndTheirConventions) {
  SideRules rules;
  rules.columns = {{"X_IMAGE", "xcentroid"}, {"THETA_IMAGE", "orientation"}};
  rules.first_pixel = FirstPixel::zero;
  rules.angles = AngleUnit::radian;
  const std::vector<Meaning> meanings = meanings_of({"xcentroid", "orientation", "X_IMAGE"}, rules, "");
  EXPECT_EQ(meanings[0].name, "X_IMAGE");
  EXPECT_EQ(meanings[0].offset, 1);
  EXPECT_DOUBLE_EQ(meanings[1].factor, 180 / std::numbers::pi);
}

TEST(KnownColumns, ARuleComesBeforeTheFilesOwnColumnOfThatName) {
  SideRules rules;
  rules.columns = {{"X_IMAGE", "XWIN_IMAGE"}};
  EXPECT_THAT(names({"X_IMAGE", "XWIN_IMAGE"}, rules), ElementsAre("X_IMAGE of the file", "X_IMAGE"));
  EXPECT_THAT(names({"XWIN_IMAGE", "X_IMAGE"}, rules), ElementsAre("X_IMAGE", "X_IMAGE of the file"));
}

TEST(KnownColumns, ARuleForAColumnThatIsNotThereNamesTheNearest) {
  SideRules rules;
  rules.columns = {{"X_IMAGE", "xcentriod"}};
  try {
    meanings_of({"xcentroid"}, rules, "a.fits");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'xcentroid'?"));
  }
}

TEST(KnownColumns, PixelCoordinatesAreThoseThatBeginAtAPixel) {
  for (const char* name : {"X_IMAGE", "YWIN_IMAGE", "XMIN_IMAGE", "YPEAK_IMAGE", "X_IMAGE_DBL"})
    EXPECT_TRUE(is_pixel_coordinate(name)) << name;
  for (const char* name : {"X2_IMAGE", "XY_IMAGE", "X_WORLD", "A_IMAGE", "", "X"})
    EXPECT_FALSE(is_pixel_coordinate(name)) << name;
}

TEST(KnownColumns, ErrorsAreFoundByName) {
  EXPECT_EQ(standard_error_of("FLUX_AUTO"), "FLUXERR_AUTO");
  EXPECT_EQ(standard_error_of("MAG_ISO"), "MAGERR_ISO");
  EXPECT_EQ(standard_error_of("X_IMAGE"), "ERRX2_IMAGE");
  EXPECT_EQ(standard_error_of("FLUX_RADIUS"), "");
  EXPECT_EQ(standard_error_of("A_IMAGE"), "");
}

}  // namespace
}  // namespace srcextract
