#include "io/wcs/map_pixels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/header_cards.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using testing::header;
using testing::HeaderPairs;
using ::testing::StartsWith;

const Shape shape{1030, 1011};

/// The cards of the frame that most tests begin with, some of them with other values or new.
HeaderPairs tangent(const HeaderPairs& other = {}) {
  HeaderPairs cards = {"CTYPE1='RA---TAN'", "CTYPE2='DEC--TAN'", "CRVAL1=150.1163", "CRVAL2=2.2058",
                       "CRPIX1=512.5",      "CRPIX2=512.5",      "CD1_1=-5.0E-5",   "CD2_2=5.0E-5"};
  const auto keyword = [](const std::string& card) { return card.substr(0, card.find('=')); };
  for (const std::string& card : other) {
    std::erase_if(cards, [&](const std::string& old) { return keyword(old) == keyword(card); });
    cards.push_back(card);
  }
  return cards;
}

const HeaderPairs map_sip = {"CTYPE1='RA---TAN-SIP'", "CTYPE2='DEC--TAN-SIP'", "A_ORDER=2",    "B_ORDER=2",
                             "A_2_0=2.0E-6",          "A_1_1=-1.5E-6",         "B_0_2=1.7E-6", "B_1_1=3.0E-6"};

PixelMap map_of(const HeaderPairs& cards, const HeaderPairs& other, Shape size = shape) {
  return map_pixels(size, header(cards), "new.fits", header(other), "reference.fits", Cpu{3});
}

std::pair<double, double> position(const PixelMap& map, std::int64_t x, std::int64_t y) {
  const auto node = static_cast<std::size_t>(y / PixelMap::step * map.nodes.width + x / PixelMap::step);
  return {map.x.at(node), map.y.at(node)};
}

struct MapCase {
  std::string name;
  HeaderPairs cards, other;
  std::vector<std::pair<double, double>> expected;  ///< of the tried pixels
};
void PrintTo(const MapCase& c, std::ostream* out) {
  *out << c.name;
}

const std::vector<std::pair<std::int64_t, std::int64_t>> tried_pixels = {{0, 0}, {512, 0}, {320, 736}, {1008, 1008}};

/// By astropy 5.2.1: other.all_world2pix(frame.all_pix2world(pixels + 1, 1), 1, tolerance=1e-10) - 1; between
/// equatorial and galactic with erfa.icrs2g and g2icrs (pyerfa 2.0.0.1).
std::vector<MapCase> map_cases() {
  return {
      {"Shifted",
       tangent(),
       tangent({"CRPIX1=530.25", "CRPIX2=490.75"}),
       {{17.75, -21.75}, {529.75, -21.75}, {337.75, 714.25}, {1025.75, 986.25}}},
      {"RotatedAndScaled",
       tangent(),
       tangent({"CD1_1=-6.0E-5", "CD1_2=1.2E-5", "CD2_1=1.3E-5", "CD2_2=6.1E-5", "CRPIX1=300.5"}),
       {{-189.74921383653, 196.50393081775},
        {219.47510482201, 109.29219077593},
        {181.73925576511, 720.61294549273},
        {774.40172955957, 817.25864779854}}},
      {"OtherPointing",
       tangent(),
       tangent({"CRVAL1=150.13", "CRVAL2=2.19"}),
       {{273.80173112528, 315.99662455365},
        {785.80166222644, 316.00128193428},
        {593.79491634710, 1051.99953214226},
        {1281.79260985458, 1324.00599987198}}},
      {"OtherProjection",
       tangent(),
       tangent({"CTYPE1='RA---SIN'", "CTYPE2='DEC--SIN'"}),
       {{0.00010191336, 0.00010191361},
        {511.99999995037, 0.00005095714},
        {320.00000634901, 735.99999255681},
        {1007.99990679201, 1007.99990679188}}},
      {"Flipped", tangent(), tangent({"CD1_1=5.0E-5"}), {{1023, 0}, {511, 0}, {703, 736}, {15, 1008}}},
      {"EquatorialToGalactic",
       tangent(),
       tangent({"CTYPE1='GLON-TAN'", "CTYPE2='GLAT-TAN'", "CRVAL1=236.82", "CRVAL2=42.12"}),
       {{-202.35678562759, 616.73631728754},
        {94.79218817844, 199.78729537200},
        {582.72554105900, 783.29483138624},
        {1203.52364589498, 380.87997867490}}},
      {"GalacticToEquatorial",
       tangent({"CTYPE1='GLON-TAN'", "CTYPE2='GLAT-TAN'", "CRVAL1=236.82", "CRVAL2=42.12"}),
       tangent(),
       {{619.68303757132, -193.14472486501},
        {916.83201191008, 223.80429365865},
        {206.03692982434, 494.60006207680},
        {383.82669894091, 1212.73570651231}}},
      {"LatitudeFirst",
       tangent(),
       {"CTYPE1='DEC--TAN'", "CTYPE2='RA---TAN'", "CRVAL1=2.2058", "CRVAL2=150.1163", "CRPIX1=512.5", "CRPIX2=512.5",
        "CDELT1=5.0E-5", "CDELT2=5.0E-5"},
       {{0, 1023}, {0, 511}, {736, 703}, {1008, 15}}},
      {"FromDistorted",
       tangent(map_sip),
       tangent(),
       {{0.13081612498, 1.22967157500},
        {512.00038412492, 0.44400757489},
        {320.13783212504, 735.95670517494},
        {1008.12325612526, 1009.15860757502}}},
      {"ToDistorted",
       tangent(),
       tangent(map_sip),
       {{-0.13003548096, -1.23391352328},
        {511.99961583737, -0.44478135304},
        {319.86200319104, 736.04337959060},
        {1007.87603792201, 1006.84524372345}}},
  };
}

class PixelMaps : public ::testing::TestWithParam<MapCase> {};

TEST_P(PixelMaps, GiveThePositionsOfAstropy) {
  const PixelMap map = map_of(GetParam().cards, GetParam().other);
  ASSERT_EQ(map.shape, shape);
  ASSERT_EQ(map.nodes, (Shape{66, 65}));
  ASSERT_EQ(map.x.size(), 66U * 65U);
  ASSERT_EQ(map.y.size(), map.x.size());
  for (std::size_t i = 0; i < tried_pixels.size(); ++i) {
    const auto [x, y] = position(map, tried_pixels[i].first, tried_pixels[i].second);
    EXPECT_NEAR(x, GetParam().expected[i].first, 3e-9) << i;
    EXPECT_NEAR(y, GetParam().expected[i].second, 3e-9) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Frames, PixelMaps, ::testing::ValuesIn(map_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(PixelMapTest, DoesNotDependOnThreads) {
  const std::string frame = header(tangent(map_sip));
  const std::string other = header(tangent({"CRVAL1=150.13", "CD1_2=1.0E-5"}));
  const PixelMap one = map_pixels({3000, 2900}, frame, "new", other, "reference", Cpu{1});
  const PixelMap three = map_pixels({3000, 2900}, frame, "new", other, "reference", Cpu{3});
  ASSERT_GT(one.nodes.count(), 30000);
  EXPECT_EQ(one.x, three.x);
  EXPECT_EQ(one.y, three.y);
}

TEST(PixelMapTest, FramesAreAlignedWithThemselves) {
  EXPECT_LT(largest_shift(map_of(tangent(), tangent())), 1e-8);
  EXPECT_LT(largest_shift(map_of(tangent(map_sip), tangent(map_sip))), 1e-8);
  EXPECT_LT(largest_shift(map_of(tangent(), tangent({"RADESYS='FK5'", "EQUINOX=2000.0"}))), 1e-8);
}

TEST(PixelMapTest, TheLargestShiftIsThatOfNodesInTheGrid) {
  EXPECT_NEAR(largest_shift(map_of(tangent(), tangent({"CRPIX1=515.5", "CRPIX2=508.5"}))), 5, 1e-8);
  PixelMap map(Shape{17, 16});
  ASSERT_EQ(map.nodes, (Shape{3, 2}));
  map.x = {0, 16, 99, 0, 16, 99};
  map.y = {0, 0.5, 99, 99, 99, 99};
  EXPECT_EQ(largest_shift(map), 0.5);
  map.y[1] = std::nan("");
  EXPECT_EQ(largest_shift(map), 0);
}

TEST(PixelMapTest, WithoutSkyInCommonThereAreNoPositions) {
  const PixelMap map = map_of(tangent(), tangent({"CRVAL1=330.1163", "CRVAL2=-2.2058"}));
  for (std::size_t i = 0; i < map.x.size(); ++i) {
    ASSERT_TRUE(std::isnan(map.x[i]) && std::isnan(map.y[i])) << i;
  }
  EXPECT_TRUE(std::isinf(largest_shift(map)));
}

HeaderPairs whole_sky(const std::string& projection, const std::string& centre) {
  return {"CTYPE1='RA---" + projection + "'",
          "CTYPE2='DEC--" + projection + "'",
          "CRVAL1=" + centre,
          "CRVAL2=0.0",
          "CRPIX1=360.5",
          "CRPIX2=180.5",
          "CDELT1=-0.5",
          "CDELT2=0.5"};
}

TEST(PixelMapTest, BeyondTheEdgeOfTheSkyThereAreNoPositions) {
  const PixelMap map = map_of(whole_sky("AIT", "180.0"), whole_sky("AIT", "180.0"), {720, 360});
  EXPECT_TRUE(std::isnan(position(map, 0, 0).first));
  EXPECT_NEAR(position(map, 352, 176).first, 352, 1e-9);
  EXPECT_LT(largest_shift(map), 1e-8);
}

/// A cylinder that is cut open elsewhere: right ascension 90 is at the left edge of the other map, and what is right of
/// it at the right.
TEST(PixelMapTest, NothingIsInterpolatedAcrossTheCutOfASky) {
  const PixelMap map = map_of(whole_sky("CAR", "180.0"), whole_sky("CAR", "270.0"), {720, 360});
  EXPECT_NEAR(position(map, 16, 176).first, 196, 1e-9);
  int cut = 0;
  for (std::int64_t x = 16; x < 720; x += 16) {
    const double left = position(map, x - 16, 176).first;
    const double right = position(map, x, 176).first;
    if (std::isnan(left) || std::isnan(right)) {
      ++cut;
    } else {
      EXPECT_NEAR(right - left, 16, 1e-9) << x;
    }
  }
  EXPECT_GT(cut, 0);
  EXPECT_LE(cut, 3);
}

/// The message of the error that these two frames give.
std::string refusal(const HeaderPairs& cards, const HeaderPairs& other) {
  try {
    map_of(cards, other);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "none";
}

TEST(PixelMapTest, NamesTheFrameWhoseWcsCannotBeUsed) {
  EXPECT_THAT(refusal({}, tangent()), StartsWith("new.fits: "));
  EXPECT_THAT(refusal({}, tangent()), HasSubstr("no celestial WCS"));
  EXPECT_THAT(refusal(tangent(), {}), StartsWith("reference.fits: "));
  EXPECT_THAT(refusal(tangent(), tangent({"RADESYS='GAPPT'"})), StartsWith("reference.fits: "));
  EXPECT_THAT(refusal(tangent(), tangent({"RADESYS='GAPPT'"})), HasSubstr("GAPPT"));
  EXPECT_THAT(refusal(tangent({"RADESYS='GAPPT'"}), tangent()), StartsWith("new.fits: "));
  EXPECT_THAT(refusal(tangent({"CTYPE1='HPLN-TAN'", "CTYPE2='HPLT-TAN'"}), tangent()), HasSubstr("HPLN, HPLT"));
  EXPECT_THAT(refusal(tangent(), tangent({"CD1_1=0.0"})), HasSubstr("singular"));
}

}  // namespace
}  // namespace srcextract
