#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/wcs/wcs.hpp"
#include "tests/io/support/header_cards.hpp"
#include "tests/io/support/wcs_headers.hpp"

namespace srcextract {
namespace {

using testing::at;
using testing::equatorial;
using testing::find_places;
using testing::header;
using testing::HeaderPairs;
using testing::pixels;
using testing::Places;
using testing::tan;

struct Refused {
  std::string name;
  HeaderPairs cards;
  std::string reason;  ///< a part of it
};
void PrintTo(const Refused& c, std::ostream* out) {
  *out << c.name;
}

class WcsRefused : public ::testing::TestWithParam<Refused> {};

TEST_P(WcsRefused, SaysWhyAndLeavesTheColumnsOut) {
  Places places = at(pixels);
  const std::string reason = find_places(header(GetParam().cards, 3), places);
  EXPECT_NE(reason.find(GetParam().reason), std::string::npos) << "the reason given is: " << reason;
  EXPECT_FALSE(places.sky);
  EXPECT_TRUE(places.alpha.empty());
  EXPECT_TRUE(places.delta.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Headers, WcsRefused,
    ::testing::ValuesIn(std::vector<Refused>{
        {"NoCards", {}, "no celestial WCS (CTYPE1, CTYPE2)"},
        {"BlankCtype", tan({"CTYPE1='        '", "CTYPE2='        '"}), "no celestial WCS"},
        {"Linear", tan({"CTYPE1='X'", "CTYPE2='Y'"}), "no celestial WCS"},
        {"SpectralImage", tan({"CTYPE1='FREQ'", "CTYPE2='STOKES'"}), "no celestial WCS"},
        {"SkyOnOtherAxes", tan({"CTYPE1='FREQ'", "CTYPE2='RA---TAN'", "CTYPE3='DEC--TAN'"}), "no pair of celestial"},
        {"MixedWithAThirdAxis", equatorial({"PC1_3=0.5"}), "mixes the first two axes"},
        {"Apparent", equatorial({"RADESYS='GAPPT'"}), "GAPPT"},
        {"EclipticOfFk4", tan({"CTYPE1='ELON-TAN'", "CTYPE2='ELAT-TAN'", "RADESYS='FK4'"}), "ELON, ELAT in FK4"},
        {"Sun", tan({"CTYPE1='HPLN-TAN'", "CTYPE2='HPLT-TAN'"}), "HPLN, HPLT"},
        {"SingularMatrix", equatorial({"CD1_1=0.0", "CD1_2=0.0", "CD2_1=0.0", "CD2_2=0.0"}), "singular"},
        {"NearlySingularMatrix", equatorial({"CD1_1=-1e-4", "CD1_2=1e-4", "CD2_1=1e-4", "CD2_2=-1.000000000001e-4"}),
         "singular"},
        {"MatrixOfNoSize", equatorial({"CD1_1=-1e-300", "CD2_2=1e-300"}), "singular"},
        {"CrpixBeyondSense",
         {"CTYPE1='RA---TAN'", "CTYPE2='DEC--TAN'", "CRPIX1=1e300", "CDELT1=-0.01", "CDELT2=0.01"},
         "CRPIX1 is no pixel"},
        {"HalfAPolynomial", equatorial({"PV2_1=1.0", "PV2_5=0.01"}), "PV2_5 is none of TAN"},
        {"UnclosedString", equatorial({"RADESYS='FK4"}), "RADESYS cannot be read"},
        {"TextForANumber", equatorial({"EQUINOX='today'"}), "EQUINOX cannot be read"},
        {"LookUpTable", equatorial({"CPDIS1='LOOKUP'", "DP1='NAXES: 2'"}), "distortion CPDIS1"},
        {"UnknownUnit", equatorial({"CUNIT1='furlong'"}), "CUNIT1 = 'furlong' is no unit of angles"},
        {"OnlyAnAlternative", {"CTYPE1A='RA---TAN'", "CTYPE2A='DEC--TAN'"}, "no celestial WCS"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(WcsTest, CardsThatDoNotMatterDoNotHurt) {
  Places expected = at(pixels);
  ASSERT_EQ(find_places(header(equatorial({})), expected), "");
  const HeaderPairs harmless = {"CUNIT1=",
                                "CUNIT2='deg' / \xb0, it's said",
                                "WCSNAME='O''Brien's'",
                                "LONPOLE=180.0",
                                "WAT0_001='system=image'",
                                "WAT1_001='wtype=tan axtype=ra'",
                                "LTV1=-3.0",
                                "DATE-OBS='31/08/93'",
                                "OBSGEO-X=nonsense",
                                "RADESYSA='FK4'",
                                "EXTNAME='a 'quoted' name"};
  Places places = at(pixels);
  EXPECT_EQ(find_places(header(equatorial(harmless)), places), "");
  EXPECT_EQ(places.alpha, expected.alpha);
  EXPECT_EQ(places.delta, expected.delta);
}

TEST(WcsTest, IcrsNeedsNoEquinox) {
  Places places = at(pixels);
  for (const char* idle : {"EQUINOX=2015.5", "EQUINOX='B1950'", "EQUINOX='unknown'"})
    EXPECT_EQ(find_places(header(equatorial({"RADESYS='ICRS'", idle})), places), "") << idle;
}

TEST(WcsTest, AnEquinoxMayHaveItsLetter) {
  for (const char* equinox : {"EQUINOX='J2000'", "EQUINOX='J2000.0 '", "EQUINOX=' j2000'", "EPOCH='J2000'"}) {
    Places places = at(pixels);
    EXPECT_EQ(find_places(header(equatorial({equinox})), places), "") << equinox;
  }
}

TEST(WcsTest, ANumberInQuotesIsANumber) {
  Places expected = at(pixels);
  ASSERT_EQ(find_places(header(equatorial({"EQUINOX=2000.0"})), expected), "");
  Places places = at(pixels);
  EXPECT_EQ(find_places(header(equatorial({"EQUINOX='2000.0  '", "LONPOLE='180.0'"})), places), "");
  EXPECT_EQ(places.alpha, expected.alpha);
  EXPECT_EQ(places.delta, expected.delta);
}

TEST(WcsTest, AKeywordTwiceSaysTheSameOrNothing) {
  Places expected = at(pixels);
  ASSERT_EQ(find_places(header(equatorial({"EQUINOX=2000.0"})), expected), "");
  Places places = at(pixels);
  EXPECT_EQ(find_places(header(equatorial({"EQUINOX=2000.0", "EQUINOX='2000'"})), places), "");
  EXPECT_EQ(places.alpha, expected.alpha);
  for (const char* other : {"EQUINOX=1950.0", "EQUINOX="})
    EXPECT_NE(find_places(header(equatorial({"EQUINOX=2000.0", other})), places).find("EQUINOX comes more than once"),
              std::string::npos);
}

TEST(WcsTest, ASkyThatCannotBeUsedIsNotAnAbsentOne) {
  Places places = at(pixels);
  EXPECT_EQ(find_places(header({}), places), no_celestial_wcs);
  EXPECT_NE(find_places(header(equatorial({"RADESYS='GAPPT'"})), places), no_celestial_wcs);
}

TEST(WcsTest, PrintsNothing) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::vector<std::string> reasons;
  for (const HeaderPairs& cards : {HeaderPairs{"CDELT1='oops'"}, HeaderPairs{"CUNIT1='furlong'"},
                                   HeaderPairs{"PV2_99=1.0"}, HeaderPairs{"CD1_1=0.0"}}) {
    Places places = at(pixels);
    reasons.push_back(find_places(header(equatorial(cards)), places));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(reasons[0], "the WCS cannot be used: the value of CDELT1 cannot be read: it is no number");
}

}  // namespace
}  // namespace srcextract
