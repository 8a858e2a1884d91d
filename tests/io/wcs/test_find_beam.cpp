#include "io/wcs/find_beam.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/header_cards.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Pairs = std::vector<std::string>;

const Pairs sky = {"CTYPE1='RA---SIN'",
                   "CTYPE2='DEC--SIN'",
                   "CRVAL1=180",
                   "CRVAL2=-30",
                   "CRPIX1=1024",
                   "CRPIX2=1024",
                   "CUNIT1='deg'",
                   "CUNIT2='deg'",
                   "CDELT1=-0.00055555555555555556",
                   "CDELT2=0.00055555555555555556"};

std::string radio(const Pairs& more, const Pairs& base = sky, int naxis = 2) {
  Pairs cards = base;
  cards.insert(cards.end(), more.begin(), more.end());
  return testing::header(cards, naxis);
}

std::string with_history(const std::vector<std::string>& lines) {
  std::string cards = radio({});
  cards.resize(cards.size() - 80);
  for (const std::string& line : lines) cards += testing::card("HISTORY " + line);
  return cards + testing::card("END");
}

FoundBeam find(const std::string& header, BeamSource source = BeamSource::any) {
  return find_beam({.source = source}, {.header = header, .primary_header = ""});
}

std::string error_of(const std::string& header, BeamSource source = BeamSource::any) {
  try {
    find(header, source);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "no error";
}

void expect_beam(const SkyBeam& beam, double major, double minor, double angle, BeamSource origin) {
  EXPECT_NEAR(beam.major, major, 1e-9 * major);
  EXPECT_NEAR(beam.minor, minor, 1e-9 * minor);
  EXPECT_NEAR(beam.angle, angle, 1e-9);
  EXPECT_EQ(beam.origin, origin);
}

TEST(Beam, IsThatOfTheHeaderInDegrees) {
  const FoundBeam found = find(radio({"BMAJ=0.0025", "BMIN=0.002", "BPA=-30"}));
  expect_beam(found.beam, 9, 7.2, 150, BeamSource::header);
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST(Beam, OfThePrimaryHeaderIsInherited) {
  const std::string image = radio({}), primary = radio({"BMAJ=0.0025", "BMIN=0.002", "BPA=30"});
  expect_beam(find_beam({}, {.header = image, .primary_header = primary}).beam, 9, 7.2, 30, BeamSource::header);
}

TEST(Beam, WithItsAxesExchangedIsTurnedAndTold) {
  const FoundBeam found = find(radio({"BMAJ=0.002", "BMIN=0.0025", "BPA=120"}));
  expect_beam(found.beam, 9, 7.2, 30, BeamSource::header);
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("exchanged")));
}

TEST(Beam, OfTheLastCardHistoryWithAllNumbersCounts) {
  const std::string header = with_history(
      {"AIPS   CLEAN BMAJ=  1.2500E-02 BMIN=  1.2500E-02 BPA=   0.00", "AIPS CLEAN BMAJ=3 BMIN=2 BPA=1 PRODUCT=1",
       "AIPS   CLEAN BMAJ=  2.5000D-03 BMIN=  2.0000E-03 BPA= -30.00", "AIPS IMAGR BMAJ= 9 / no more"});
  expect_beam(find(header).beam, 9, 7.2, 150, BeamSource::history);
  expect_beam(find(with_history({"IMAGR BMAJ 0.0025, BMIN=0.002,BPA:30.0"})).beam, 9, 7.2, 30, BeamSource::history);
}

TEST(Beam, ThatIsACircleNeedsNoAngle) {
  for (const Pairs& cards : {Pairs{"BMAJ=0.0025", "BMIN=0.0025"}, Pairs{"BMAJ=2.5E-03", "BMIN=2.5000001D-03"},
                             Pairs{"BMAJ=0.0025", "BMIN=0.0025", "BPA="}}) {
    const FoundBeam found = find(radio(cards));
    expect_beam(found.beam, 9, 9, 0, BeamSource::header);
    EXPECT_THAT(found.warnings, IsEmpty());
  }
  expect_beam(find(with_history({"AIPS CLEAN BMAJ= 2.5E-03 BMIN= 2.5E-03"})).beam, 9, 9, 0, BeamSource::history);
  EXPECT_THAT(error_of(radio({"BMAJ=0.0025", "BMIN=0.002"})), HasSubstr("no number BPA"));
}

TEST(Beam, OfTheHeaderComesBeforeHistory) {
  std::string header = radio({"BMAJ=0.0025", "BMIN=0.002", "BPA=30"});
  header.insert(header.size() - 80, testing::card("HISTORY AIPS CLEAN BMAJ= 1 BMIN= 1 BPA= 0"));
  expect_beam(find(header).beam, 9, 7.2, 30, BeamSource::header);
  expect_beam(find(header, BeamSource::history).beam, 3600, 3600, 0, BeamSource::history);
}

TEST(Beam, ThatIsMissingNamesTheWaysOut) {
  for (const Pairs& cards : {Pairs{}, Pairs{"BMAJ=0.0025"}, Pairs{"BMAJ=0", "BMIN=0", "BPA=0"},
                             Pairs{"BMAJ='wide'", "BMIN=0.002", "BPA=0"}, Pairs{"BMAJ=-0.1", "BMIN=0.002", "BPA=0"}}) {
    const std::string message = error_of(radio(cards));
    for (const char* way : {"BMAJ, BMIN and BPA in degrees", "beam.source: given", "beam.fwhm", "BEAMS"})
      EXPECT_THAT(message, HasSubstr(way));
  }
  EXPECT_THAT(error_of(with_history({"BMAJ= BMIN= BPA=", "BMAJ=.. BMIN=+-1 BPA=1e", "BMAJ=1e999 BMIN=1 BPA=1"})),
              HasSubstr("no beam"));
}

TEST(Beam, MayBeGiven) {
  const std::string header = radio({"BMAJ=0.01", "BMIN=0.01", "BPA=0"});
  const BeamConfig config{BeamSource::given, {10.4, 7.6}, 210};
  expect_beam(find_beam(config, {.header = header, .primary_header = ""}).beam, 10.4, 7.6, 30, BeamSource::given);
}

// --- pixels ----------------------------------------------------------------------------------------------------------

constexpr Shape map_shape{2048, 2048};

PixelBeam in_pixels(const SkyBeam& beam, const std::string& header, double pixel_scale = 0) {
  std::vector<std::string> warnings;
  return beam_in_pixels(beam, header, map_shape, pixel_scale, warnings);
}

double degrees_of(const PixelBeam& beam) {
  return beam.angle * 180 / std::numbers::pi;
}

TEST(BeamInPixels, OfSquarePixelsIsAnEllipseOfTheSameShape) {
  const PixelBeam east_left = in_pixels({10.4, 7.6, 30}, radio({}));
  EXPECT_NEAR(east_left.major, 5.2, 1e-9);
  EXPECT_NEAR(east_left.minor, 3.8, 1e-9);
  EXPECT_NEAR(degrees_of(east_left), 120, 1e-9);
  EXPECT_NEAR(east_left.area(), 22.389859, 1e-6);  // 1.1330900354567985 * 5.2 * 3.8
  Pairs east_right = sky;
  east_right[8] = "CDELT1=0.00055555555555555556";
  EXPECT_NEAR(degrees_of(in_pixels({10.4, 7.6, 30}, radio({}, east_right))), 60, 1e-9);
  EXPECT_NEAR(degrees_of(in_pixels({10.4, 7.6, 0}, radio({}))), 90, 1e-9);
}

TEST(BeamInPixels, OfOblongPixelsIsAnotherEllipse) {
  // The eigenvalues and vectors of diag(1/2, 1/4) R diag(10.4^2, 7.6^2) R^T diag(1/2, 1/4), by NumPy.
  Pairs oblong = sky;
  oblong[9] = "CDELT2=0.00111111111111111111";
  const PixelBeam beam = in_pixels({10.4, 7.6, 30}, radio({}, oblong));
  EXPECT_NEAR(beam.major, 4.2659915, 1e-6);
  EXPECT_NEAR(beam.minor, 2.3159915, 1e-6);
  EXPECT_NEAR(degrees_of(beam), 167.4218531, 1e-6);
}

TEST(BeamInPixels, OfARotatedImageTurnsWithIt) {
  const double angle = 20 * std::numbers::pi / 180, step = 2. / 3600;
  Pairs turned(sky.begin(), sky.begin() + 8);
  const auto put = [&](const char* name, double value) {
    turned.push_back(name + std::to_string(value * 1e3) + "E-3");
  };
  put("CD1_1=", -step * std::cos(angle));
  put("CD1_2=", step * std::sin(angle));
  put("CD2_1=", step * std::sin(angle));
  put("CD2_2=", step * std::cos(angle));
  // y points 20 degrees east of north, so the beam at 30 degrees is 10 degrees beyond it.
  EXPECT_NEAR(degrees_of(in_pixels({10.4, 7.6, 30}, radio({}, turned))), 100, 0.05);
}

TEST(BeamInPixels, OffTheEquatorOfAMosaicHasTheSizeOfThePlace) {
  // In a plate carree at declination 60, a pixel is half as wide as high.
  Pairs carree = {"CTYPE1='RA---CAR'", "CTYPE2='DEC--CAR'", "CRVAL1=0",      "CRVAL2=0",
                  "CRPIX1=1024.5",     "CRPIX2=-58975.5",   "CDELT1=-0.001", "CDELT2=0.001"};
  const PixelBeam beam = in_pixels({36, 36, 0}, radio({}, carree));
  EXPECT_NEAR(beam.major, 20, 1e-3);
  EXPECT_NEAR(beam.minor, 10, 1e-3);
  EXPECT_NEAR(degrees_of(beam), 180, 180.1);  // any: along x, which is 0 or 180
  EXPECT_NEAR(std::sin(beam.angle), 0, 1e-3);
}

Pairs all_sky(const std::string& projection, const Pairs& more = {}) {
  Pairs cards = {"CTYPE1='RA---" + projection + "'",
                 "CTYPE2='DEC--" + projection + "'",
                 "CRVAL1=0",
                 "CRVAL2=0",
                 "CRPIX1=360.5",
                 "CRPIX2=180.5",
                 "CDELT1=-0.5",
                 "CDELT2=0.5"};
  cards.insert(cards.end(), more.begin(), more.end());
  return cards;
}

const SkyBeam round_beam{10800, 10800, 0};  // 3 degrees, 6 pixels at the reference point

BeamsAt local(const Pairs& cards, const Shape& shape = {720, 360}) {
  const std::string header = radio({}, cards);
  std::vector<std::string> warnings;
  PixelBeam central = beam_in_pixels(round_beam, header, shape, 0, warnings);
  return local_beams(round_beam, central, header, shape);
}

TEST(LocalBeams, OfAPlateCarreeGrowAlongItsParallels) {
  const BeamsAt beams = local(all_sky("CAR"));
  ASSERT_TRUE(beams);
  const double x[] = {359.5, 100}, y[] = {179.5, 299.5};
  const std::vector<PixelBeam> at = beams(x, y);
  EXPECT_NEAR(at[0].major, 6, 1e-4);
  EXPECT_NEAR(at[1].major, 12, 1e-3);  // at a declination of 60 degrees
  EXPECT_NEAR(at[1].minor, 6, 1e-4);
  EXPECT_NEAR(std::sin(at[1].angle), 0, 1e-6);
}

TEST(LocalBeams, OfZenithalMapsShrinkOrGrowAlongTheRadius) {
  const double x[] = {359.5, 440, 359.5 + 50}, y[] = {179.5, 179.5, 179.5 + 50};
  const std::vector<PixelBeam> beams = local(all_sky("SIN", {"BUNIT='K'"}))(x, y);
  // In SIN the radius is sin(theta), so that a step along it is cos(theta) times as long.
  for (std::size_t i = 0; i < 3; ++i) {
    const double radius = std::hypot(x[i] - 359.5, y[i] - 179.5) * 0.5 * std::numbers::pi / 180;
    EXPECT_NEAR(beams[i].major, 6, 1e-3);
    EXPECT_NEAR(beams[i].minor, 6 * std::sqrt(1 - radius * radius), 1e-3);
  }
  EXPECT_NEAR(degrees_of(beams[1]), 90, 0.01);
  EXPECT_NEAR(degrees_of(beams[2]), 135, 0.01);
}

TEST(LocalBeams, AreOneWhereABeamIsConstant) {
  EXPECT_FALSE(local(all_sky("SIN", {"BUNIT='Jy/beam'"})));
  EXPECT_FALSE(local(all_sky("SIN")));
  for (const char* projection : {"TAN", "CAR", "ZEA"}) {
    Pairs small = all_sky(projection, {"BUNIT='K'"});
    small[6] = "CDELT1=-0.0025";
    small[7] = "CDELT2=0.0025";
    const std::string header = radio({}, small);
    std::vector<std::string> warnings;
    const SkyBeam beam{54, 36, 30};
    const PixelBeam central = beam_in_pixels(beam, header, {720, 360}, 0, warnings);
    EXPECT_FALSE(local_beams(beam, central, header, {720, 360})) << projection;
  }
  EXPECT_FALSE(local_beams(round_beam, {6, 6, 0}, testing::header({}), {720, 360}));
}

TEST(LocalBeams, OfJanskysPerPixelHaveTheUnitOfTheirArea) {
  const std::string header = radio({"BUNIT='Jy/pixel'"}, all_sky("CAR"));
  std::vector<std::string> warnings;
  PixelBeam central = beam_in_pixels(round_beam, header, {720, 360}, 0, warnings);
  central.to_jansky = jansky_per_beam(round_beam, central.area(), {.header = header, .primary_header = ""}, warnings);
  const double x[] = {359.5}, y[] = {299.5};
  const PixelBeam at = local_beams(round_beam, central, header, {720, 360})(x, y).front();
  EXPECT_NEAR(at.to_jansky, at.area(), 1e-6 * at.area());
}

TEST(BeamInPixels, OfAMapWhoseCentreIsOffTheSkyIsThatBesideIt) {
  Pairs half = all_sky("SIN", {"BUNIT='K'"});
  half[0] = "CTYPE1='RA---CEA'";
  half[1] = "CTYPE2='DEC--CEA'";
  half[5] = "CRPIX2=60";  // the pole is in row 174, and the centre of the image beyond it
  EXPECT_GT(in_pixels(round_beam, radio({}, half)).minor, 1);
}

TEST(BeamInPixels, WithoutASkyNeedsThePixelScale) {
  const std::string plain = testing::header({});
  EXPECT_THROW(in_pixels({10.4, 7.6, 30}, plain), Error);
  EXPECT_NEAR(in_pixels({10.4, 7.6, 30}, plain, 2).major, 5.2, 1e-9);
}

TEST(BeamInPixels, OfTheWrongUnitIsAnError) {
  for (const double major : {10.4 * 3600, 10.4 / 3600, 1500.}) {
    try {
      in_pixels({major, major / 2, 30}, radio({}));
      ADD_FAILURE() << major;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("arcseconds in place of degrees"));
    }
  }
  std::vector<std::string> warnings;
  beam_in_pixels({8, 4, 0}, radio({}), map_shape, 0, warnings);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("2 pixels wide")));
}

// --- units -----------------------------------------------------------------------------------------------------------

constexpr double beam_pixels = 22.39;

double jansky(const Pairs& cards, std::vector<std::string>& warnings) {
  const std::string header = radio(cards, sky, 4);
  return jansky_per_beam({10.4, 7.6, 30}, beam_pixels,
                         {.header = header, .primary_header = "", .axes = {2048, 2048, 3, 1}, .planes = {2}}, warnings);
}

TEST(JanskyPerBeam, KnowsAllSpellings) {
  const std::pair<const char*, double> units[] = {
      {"Jy/beam", 1},    {"JY/BEAM", 1},      {"Jy beam-1", 1},      {"beam-1 Jy", 1},          {"Jy beam^-1", 1},
      {"jy/beam", 1},    {"mJy/beam", 1e-3},  {"uJy/beam", 1e-6},    {"\xC2\xB5Jy/beam", 1e-6}, {"mJy beam-1", 1e-3},
      {"kJy/beam", 1e3}, {"Jy/pixel", 22.39}, {"mJy/pixel", 0.02239}};
  for (const auto& [unit, factor] : units) {
    std::vector<std::string> warnings;
    EXPECT_NEAR(jansky({std::string("BUNIT='") + unit + "'"}, warnings), factor, 1e-12 * factor) << unit;
    EXPECT_THAT(warnings, IsEmpty()) << unit;
  }
}

TEST(JanskyPerBeam, OfKelvinsAndSteradiansNeedsTheBeam) {
  std::vector<std::string> warnings;
  // NRAO's rule: T/K = 1.222e6 (S/Jy) / (nu/GHz)^2 / (theta1 theta2 / arcsec^2), here at 1.38 GHz in plane 2.
  const Pairs kelvin = {"BUNIT='K'", "CTYPE3='FREQ'", "CRVAL3=1.28E9", "CDELT3=1E8", "CRPIX3=1", "CUNIT3='Hz'"};
  EXPECT_NEAR(jansky(kelvin, warnings), 1.38 * 1.38 * 10.4 * 7.6 / 1.222e6, 1e-3 * 1.38 * 1.38 * 10.4 * 7.6 / 1.222e6);
  EXPECT_NEAR(jansky({"BUNIT='K'", "RESTFRQ=1.38E9"}, warnings), jansky(kelvin, warnings), 1e-12);
  // 1 arcsec^2 is 2.3504431e-11 sr.
  const double steradians = 1.1330900354567985 * 10.4 * 7.6 * 2.350443053909789e-11;
  EXPECT_NEAR(jansky({"BUNIT='MJy/sr'"}, warnings), 1e6 * steradians, 1e-9);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST(JanskyPerBeam, OfKelvinsWithoutAFrequencyIsAnError) {
  std::vector<std::string> warnings;
  EXPECT_THROW(jansky({"BUNIT='K'"}, warnings), Error);
}

TEST(JanskyPerBeam, OfAnotherUnitIsNoneAndTold) {
  for (const char* unit : {"counts", "Jy", "mag", "Jy/beam.km", "nonsense", ""}) {
    std::vector<std::string> warnings;
    EXPECT_EQ(jansky({std::string("BUNIT='") + unit + "'"}, warnings), 0) << unit;
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("BUNIT"))) << unit;
  }
}

}  // namespace
}  // namespace srcextract
