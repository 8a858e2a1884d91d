#include "io/wcs/wcs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

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

struct Case {
  std::string name;
  HeaderPairs cards;
  std::vector<std::pair<double, double>> expected;  ///< of `pixels`
  int naxis = 2;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

// Cards that several cases share.
const HeaderPairs sip = {"CTYPE1='RA---TAN-SIP'",
                         "CTYPE2='DEC--TAN-SIP'",
                         "CRVAL1=202.4823",
                         "CRVAL2=47.1751",
                         "CRPIX1=128",
                         "CRPIX2=128",
                         "CD1_1=0.000249756880272355",
                         "CD1_2=0.000230177809743655",
                         "CD2_1=0.000230428519265417",
                         "CD2_2=-0.000249965770576587",
                         "A_ORDER=3",
                         "A_0_2=2.9656E-06",
                         "A_0_3=3.7746E-09",
                         "A_1_1=2.1886E-05",
                         "A_1_2=-1.6847E-07",
                         "A_2_0=-2.3863E-05",
                         "A_2_1=-8.561E-09",
                         "A_3_0=-1.4172E-07",
                         "B_ORDER=3",
                         "B_0_2=2.31E-05",
                         "B_0_3=-1.6168E-07",
                         "B_1_1=-2.4386E-05",
                         "B_1_2=-5.7813E-09",
                         "B_2_0=2.1197E-06",
                         "B_2_1=-1.6583E-07",
                         "B_3_0=-2.0249E-08"};

HeaderPairs polynomial(const std::string& projection) {
  return {"CTYPE1='RA---" + projection + "'",
          "CTYPE2='DEC--" + projection + "'",
          "CRVAL1=344.4",
          "CRVAL2=-8.5",
          "CRPIX1=-5000.5",
          "CRPIX2=3000.25",
          "CD1_1=-7.3E-5",
          "CD1_2=1.0E-7",
          "CD2_1=2.0E-7",
          "CD2_2=7.3E-5",
          "PV1_0=0.001",
          "PV1_1=1.0122",
          "PV1_2=0.0014",
          "PV1_4=0.0032",
          "PV1_7=0.0156",
          "PV2_0=-0.002",
          "PV2_1=0.994",
          "PV2_2=0.0021",
          "PV2_5=0.0043",
          "PV2_7=-0.0113"};
}
const std::vector<std::pair<double, double>> polynomial_sky = {{344.02618162369527, -8.718761425379766},
                                                               {344.00246833374956, -8.71215641284925},
                                                               {344.01881592451866, -8.702124219289347}};

/// Sky positions of `pixels` by astropy 5.2.1: WCS(header, naxis=2).all_pix2world(pixels, 1); for SIP that is astropy's
/// own code and not wcslib's. The galactic ones continue with erfa.g2icrs (pyerfa 2.0.0.1).
std::vector<Case> cases() {
  return {
      {"TanWithCdMatrix",
       {"CTYPE1='RA---TAN'", "CTYPE2='DEC--TAN'", "CRVAL1=150.1163", "CRVAL2=2.2058", "CRPIX1=512.5", "CRPIX2=512.5",
        "CD1_1=-4.1E-5", "CD1_2=1.2E-6", "CD2_1=1.3E-6", "CD2_2=4.2E-5", "RADESYS='ICRS'"},
       {{150.1366724915386, 2.183651913199488},
        {150.12380552092733, 2.187864156832299},
        {150.13288655192605, 2.193430158372385}}},
      {"SinWithEquinoxOnly",
       {"CTYPE1='RA---SIN'", "CTYPE2='DEC--SIN'", "CRVAL1=83.6331", "CRVAL2=22.0145", "CRPIX1=1025", "CRPIX2=1025",
        "CDELT1=-0.001", "CDELT2=0.001", "EQUINOX=2000.0"},
       {{84.7299222850645, 20.98677084696388},
        {84.39162823807699, 21.07920234787806},
        {84.62540990783357, 21.217221690280955}}},
      {"ZeaAtThePole",
       {"CTYPE1='RA---ZEA'", "CTYPE2='DEC--ZEA'", "CRVAL1=0.0", "CRVAL2=-90.0", "CRPIX1=500", "CRPIX2=500",
        "CDELT1=-0.1", "CDELT2=0.1", "RADESYS='FK5'", "EQUINOX=2000.0"},
       {{135.0, -13.975063610502815},
        {155.89776549883885, -44.02495671195529},
        {123.94548274015355, -40.23236301653858}}},
      {"CarOfTheWholeSky",
       {"CTYPE1='RA---CAR'", "CTYPE2='DEC--CAR'", "CRVAL1=180.0", "CRVAL2=0.0", "CRPIX1=360.5", "CRPIX2=180.5",
        "CDELT1=-0.5", "CDELT2=0.5"},
       {{359.75, -89.75}, {201.625, -44.5}, {310.25, 25.125}}},
      {"Sip",
       sip,
       {{202.39312215414708, 47.17751459294187},
        {202.53891985203646, 47.22726866541402},
        {202.50683612248437, 47.142930501971904}}},
      {"Tpv", polynomial("TPV"), polynomial_sky},
      // What SCAMP 1 calls TAN is TPV, and astropy refuses it: the truth is that of TPV.
      {"TanWithScampParameters", polynomial("TAN"), polynomial_sky},
      {"Galactic",
       {"CTYPE1='GLON-TAN'", "CTYPE2='GLAT-TAN'", "CRVAL1=30.0", "CRVAL2=-1.5", "CRPIX1=100", "CRPIX2=100",
        "CDELT1=-0.01", "CDELT2=0.01"},
       {{284.19205127133733, -2.8617294323798785},
        {281.94153655347736, -5.264472033115176},
        {281.6933150722953, -2.6970966139742294}}},
      {"RadioCube",
       {"CTYPE1='RA---SIN'", "CTYPE2='DEC--SIN'", "CTYPE3='FREQ'",     "CTYPE4='STOKES'",  "CRVAL1=266.4168",
        "CRVAL2=-29.0078",   "CRVAL3=6.1E8",      "CRVAL4=1.0",        "CRPIX1=1024",      "CRPIX2=1024",
        "CRPIX3=1",          "CRPIX4=1",          "CDELT1=-2.7778E-4", "CDELT2=2.7778E-4", "CDELT3=3.25E7",
        "CDELT4=1.0",        "CUNIT1='deg'",      "CUNIT2='deg'",      "CUNIT3='Hz'",      "RADESYS='FK5'",
        "EQUINOX=2000.0",    "SPECSYS='TOPOCENT'"},
       {{266.7426308093217, -29.291578272488916},
        {266.64184798823413, -29.2666437622811},
        {266.71091511010593, -29.22783006582109}},
       4},
      {"ArcWithCrotaAndEpoch",
       {"CTYPE1='RA---ARC'", "CTYPE2='DEC--ARC'", "CRVAL1=12.5", "CRVAL2=60.25", "CRPIX1=100", "CRPIX2=120",
        "CDELT1=-0.01", "CDELT2=0.012", "CROTA2=33.0", "EPOCH=2000.0"},
       {{15.674409136749038, 59.552976475413764},
        {9.346891119194208, 58.74105562830602},
        {10.989983163928864, 61.356281254090845}}},
      {"OldPcMatrix",
       equatorial({"PC001001=0.8", "PC001002=-0.6", "PC002001=0.6", "PC002002=0.8"}),
       {{12.64876144832243, 58.39536174140026},
        {8.501553621047362, 61.48184423623605},
        {13.883800482866949, 61.30603983056014}}},
      {"LatitudeFirst",
       {"CTYPE1='DEC--TAN'", "CTYPE2='RA---TAN'", "CRVAL1=-35.5", "CRVAL2=0.01", "CRPIX1=50", "CRPIX2=50",
        "CDELT1=0.01", "CDELT2=0.01"},
       {{359.40444825949095, -35.98846652215042},
        {0.5033296063294136, -32.82846809262599},
        {2.2153766160299684, -34.98006829081616}}},
      {"NcpOfAips",
       {"CTYPE1='RA---NCP'", "CTYPE2='DEC--NCP'", "CRVAL1=40", "CRVAL2=50", "CRPIX1=50", "CRPIX2=50", "CDELT1=-0.01",
        "CDELT2=0.01", "EQUINOX=2000.0"},
       {{40.75457001631121, 49.50398014538346},
        {35.81359248818106, 50.286888037074576},
        {39.19180473321641, 51.7799844017291}}},
  };
}

class Wcs : public ::testing::TestWithParam<Case> {};

TEST_P(Wcs, GivesThePositionsOfAstropy) {
  Places places = at(pixels);
  ASSERT_EQ(find_places(header(GetParam().cards, GetParam().naxis), places), "");
  ASSERT_TRUE(places.sky);
  ASSERT_EQ(places.alpha.size(), pixels.size());
  ASSERT_EQ(places.delta.size(), pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    EXPECT_NEAR(places.alpha[i], GetParam().expected[i].first, 1e-9);
    EXPECT_NEAR(places.delta[i], GetParam().expected[i].second, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Headers, Wcs, ::testing::ValuesIn(cases()), [](const auto& test) { return test.param.name; });

TEST(WcsTest, TangentPlaneOnTheEquatorIsTheArcTangent) {
  Places places = at({{1.0, 1.0}, {101.0, 1.0}, {1.0, 101.0}});
  const HeaderPairs cards = {"CTYPE1='RA---TAN'", "CTYPE2='DEC--TAN'", "CRVAL1=0.0", "CRVAL2=0.0",
                             "CRPIX1=1.0",        "CRPIX2=1.0",        "CDELT1=1.0", "CDELT2=1.0"};
  ASSERT_EQ(find_places(header(cards), places), "");
  const double degree = std::numbers::pi / 180;
  const double hundred_degrees_of_plane = std::atan(100 * degree) / degree;
  EXPECT_NEAR(places.alpha[0], 0, 1e-12);
  EXPECT_NEAR(places.delta[0], 0, 1e-12);
  EXPECT_NEAR(places.alpha[1], hundred_degrees_of_plane, 1e-12);
  EXPECT_NEAR(places.delta[2], hundred_degrees_of_plane, 1e-12);
}

TEST(WcsTest, RightAscensionIsFrom0To360) {
  Places places = at({{1, 50}, {50, 50}, {99, 50}});
  const HeaderPairs cards = {"CTYPE1='RA---TAN'", "CTYPE2='DEC--TAN'", "CRVAL1=-0.2", "CRVAL2=0.0",
                             "CRPIX1=50",         "CRPIX2=50",         "CDELT1=0.01", "CDELT2=0.01"};
  ASSERT_EQ(find_places(header(cards), places), "");
  EXPECT_NEAR(places.alpha[0], 359.31, 1e-3);
  EXPECT_NEAR(places.alpha[1], 359.8, 1e-9);
  EXPECT_NEAR(places.alpha[2], 0.29, 1e-3);
}

TEST(WcsTest, ManySourcesAgreeWithOneByOne) {
  std::vector<std::pair<double, double>> positions;
  std::mt19937 random(7);
  for (int i = 0; i < 70000; ++i) positions.push_back({random() % 2048 + 0.25, random() % 2048 + 0.5});
  Places many = at(positions);
  ASSERT_EQ(find_places(header(sip), many, Cpu{3}), "");
  for (std::size_t i : {0, 1, 16383, 16384, 32768, 69999}) {
    Places one = at({positions[i]});
    ASSERT_EQ(find_places(header(sip), one), "");
    EXPECT_EQ(many.alpha[i], one.alpha[0]);
    EXPECT_EQ(many.delta[i], one.delta[0]);
  }
}

TEST(WcsTest, OffTheSkyIsNotANumberAndHurtsNoOther) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Places places = at({{100, 50}, {1, 1}, {nan, 50}, {100, nan}, {100.5, 50.5}});
  const HeaderPairs cards = {"CTYPE1='RA---AIT'", "CTYPE2='DEC--AIT'", "CRVAL1=0.0",  "CRVAL2=0.0",
                             "CRPIX1=100.5",      "CRPIX2=50.5",       "CDELT1=-2.0", "CDELT2=2.0"};
  ASSERT_EQ(find_places(header(cards), places), "");
  EXPECT_NEAR(places.alpha[0], 1.0, 1e-3);
  for (std::size_t i : {1, 2, 3}) {
    EXPECT_TRUE(std::isnan(places.alpha[i])) << i;
    EXPECT_TRUE(std::isnan(places.delta[i])) << i;
  }
  EXPECT_NEAR(places.delta[4], 0.0, 1e-9);
}

TEST(WcsTest, NoSourcesStillHaveColumns) {
  Places places;
  EXPECT_EQ(find_places(header(equatorial({})), places), "");
  EXPECT_TRUE(places.sky);
}

TEST(WcsTest, TroubleOnTheOtherAxesOfACubeDoesNotMatter) {
  const HeaderPairs trouble[] = {{"CTYPE3='VELO-F2V'", "CRVAL3=1.0E6", "CUNIT3='m/s'"},  // without RESTFRQ
                                 {"CTYPE3='FREQ-TAB'", "PS3_0='NOT-HERE'"},
                                 {"CTYPE3='WAVE'", "CUNIT3='furlongs'"},
                                 {"CTYPE3='FREQ'", "CDELT3=0.0"},
                                 {"WCSAXES=999999999"}};
  Places expected = at(pixels);
  ASSERT_EQ(find_places(header(equatorial({})), expected), "");
  for (const HeaderPairs& cards : trouble) {
    Places places = at(pixels);
    EXPECT_EQ(find_places(header(equatorial(cards), 3), places), "") << cards[0];
    EXPECT_EQ(places.alpha, expected.alpha) << cards[0];
    EXPECT_EQ(places.delta, expected.delta) << cards[0];
  }
}

TEST(WcsTest, GarbageGivesAReasonOrPositionsButNeverACrash) {
  Places none;
  EXPECT_NE(find_places("", none), "");
  EXPECT_NE(find_places("SIMPLE", none), "");
  EXPECT_NE(find_places(std::string(8000, '\0'), none), "");

  std::mt19937 random(20260101);
  HeaderPairs surfaces = polynomial("TNX");
  std::erase_if(surfaces, [](const std::string& pair) { return pair.starts_with("PV"); });
  surfaces.push_back("WAT1_001='wtype=tnx axtype=ra lngcor = \"1. 2. 2. 0. -1. 1. -1. 1. 1e-4 2e-4 3e-4\"'");
  surfaces.push_back("WAT2_001='wtype=tnx axtype=dec latcor = \"3. 2. 2. 1. -1. 1. -1. 1. 1e-4 2e-4 3e-4 1e-4\"'");
  const std::string originals[] = {header(sip), header(polynomial("TPV")), header(cases()[8].cards, 4),
                                   header(surfaces)};
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string spoilt = originals[i % 4];
    for (int n = 0; n < 8; ++n) spoilt[random() % spoilt.size()] = static_cast<char>(random() % 256);
    Places places = at(pixels);
    const std::string reason = find_places(spoilt, places);
    EXPECT_EQ(places.sky, reason.empty());
    refused += !reason.empty();
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 4000);
}

}  // namespace
}  // namespace srcextract
