#include "io/wcs/unit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "io/wcs/unit_grammar.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract {
namespace {

TEST(UnitTest, EqualTextsAreEqualUnits) {
  EXPECT_EQ(unit_factor("deg", "deg"), 1.0);
  EXPECT_EQ(unit_factor("furlong", "furlong"), 1.0);
  EXPECT_EQ(unit_factor("log(Hz)", "log(Hz)"), 1.0);
}

TEST(UnitTest, WhatSaysNothingHasNoFactor) {
  EXPECT_EQ(unit_factor("", ""), std::nullopt);
  EXPECT_EQ(unit_factor("deg", ""), std::nullopt);
  EXPECT_EQ(unit_factor("", "deg"), std::nullopt);
  for (const char* text :
       {" ", "furlong", "???", "(", "deg**", "log(deg)", "1e", "[", "\x01\x02\xff", "nanomaggy", "%"}) {
    EXPECT_EQ(unit_factor(text, "deg"), std::nullopt) << text;
    EXPECT_EQ(unit_factor("deg", text), std::nullopt) << text;
  }
  EXPECT_EQ(unit_factor(std::string(10000, 'J'), "Jy"), std::nullopt);
  EXPECT_EQ(unit_factor(std::string("deg\0x", 5), "deg"), std::nullopt);
}

TEST(UnitTest, WhatObservatoriesWriteIsUnderstood) {
  for (const auto& [from, to] :
       {std::pair("counts", "count"), std::pair("electron/s", "ct/s"), std::pair("DN", "adu"),
        std::pair("COUNTS/S", "count / s"), std::pair("JY/BEAM", "Jy / beam"), std::pair("DEG", "deg"),
        std::pair("Jy/bm", "Jy/beam"), std::pair("JANSKY/BEAM", "Jy/beam"), std::pair("mjy/beam", "mJy/beam"),
        std::pair("uJY/BEAM", "uJy/beam")}) {
    EXPECT_EQ(unit_factor(from, to), 1.0) << from << " to " << to;
    EXPECT_EQ(unit_factor(to, from), 1.0) << to << " to " << from;
  }
}

/// Prints the factor between the units of each line, or nan, behind a word that tells it from what Astropy may have to
/// say on a machine where it has never run.
constexpr const char* convert_with_astropy = R"(
import sys
from astropy import units
for line in open(sys.argv[1]):
    have, want = line.rstrip('\n').split('|')
    try: print('factor', repr(float(units.Unit(have).to(units.Unit(want)))))
    except units.UnitConversionError: print('factor nan')
)";

TEST(UnitTest, AstropyFindsTheSameFactors) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  const std::vector<std::pair<std::string, std::string>> pairs{{"count", "ct"},
                                                               {"pixel", "pix"},
                                                               {"pixel**2", "pix2"},
                                                               {"pixel**(-2)", "1 / pix2"},
                                                               {"mag * arcsec**(-2)", "mag / arcsec2"},
                                                               {"mag * arcsec**(-2)", "mag arcsec-2"},
                                                               {"mag", "mmag"},
                                                               {"deg", "rad"},
                                                               {"rad", "arcsec"},
                                                               {"arcmin", "deg"},
                                                               {"mas", "arcsec"},
                                                               {"deg**2", "arcsec2"},
                                                               {"Jy", "uJy"},
                                                               {"nJy", "Jy"},
                                                               {"Jy / beam", "mJy / beam"},
                                                               {"erg s-1 cm-2", "W / m2"},
                                                               {"erg / (s cm2 Angstrom)", "W m-3"},
                                                               {"ct / s", "count s-1"},
                                                               {"um", "Angstrom"},
                                                               {"nm", "um"},
                                                               {"d", "s"},
                                                               {"h", "min"},
                                                               {"km / s", "m s-1"},
                                                               {"deg", "pix"},
                                                               {"mag", "Jy"},
                                                               {"count", "pixel"},
                                                               {"deg", "deg2"},
                                                               {"s", "m"}};
  const testing::TemporaryFolder folder;
  std::ofstream list(folder / "pairs");
  for (const auto& [have, want] : pairs) list << have << '|' << want << '\n';
  list.close();
  const auto [status, output] = testing::run_python(folder, convert_with_astropy, folder / "pairs");
  ASSERT_EQ(status, 0) << output;
  std::istringstream lines(output);
  for (const auto& [have, want] : pairs) {
    std::string line;
    do {
      ASSERT_TRUE(std::getline(lines, line)) << output;
    } while (!line.starts_with("factor "));
    const double expected = std::stod(line.substr(7)), found = unit_factor(have, want).value_or(std::nan(""));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(found)) << have << " to " << want;
    } else {
      EXPECT_NEAR(found / expected, 1, 1e-12) << have << " to " << want;
    }
  }
}

TEST(UnitTest, VoUnits) {
  for (const auto& [fits, vo] : {std::pair("count", "count"),
                                 {"count/s", "count/s"},
                                 {"Jy/beam", "Jy/beam"},
                                 {"pixel.Jy/beam", "pixel.Jy/beam"},
                                 {"pixel**2", "pixel**2"},
                                 {"pixel**(-2)", "pixel**-2"},
                                 {"mag * arcsec**(-2)", "mag/arcsec**2"},
                                 {"mag / arcsec2", "mag/arcsec**2"},
                                 {"Jy/beam.km", "Jy.beam**-1.km"},
                                 {"10**-17 erg/s/cm**2", "10**-17erg.s**-1.cm**-2"},
                                 {"10**(-17).W", "10**-17W"},
                                 {"/s", "s**-1"},
                                 {"(m/s)**2", "m**2/s**2"},
                                 {"sqrt(Hz)", "Hz**(0.5)"},
                                 {"m**(3/2)", "m**(1.5)"},
                                 {"km s-1", "km/s"},
                                 {"DN", "adu"},
                                 {"", ""},
                                 {"nanomaggies", ""}})
    EXPECT_EQ(vo_unit(fits), vo) << fits;
}

/// Reads pairs of a FITS unit and what is said to be the same in VOUnits.
constexpr const char* compare_with_astropy = R"(
import pathlib
import sys
import warnings
from astropy import units
warnings.simplefilter('error', units.UnitsWarning)
warnings.filterwarnings('ignore', '.* deprecated in the VOUnit standard', units.UnitsWarning)
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    fits, vo = line.split('|')
    assert units.Unit(vo, format='vounit') == units.Unit(fits, format='fits'), line
print('compared')
)";

/// Every name, with a prefix where it may have one, and powers of it.
TEST(UnitTest, AstropyReadsVoUnitsAsTheSame) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  const testing::TemporaryFolder folder;
  std::ofstream list(folder / "units");
  for (const char* name :
       {"m",     "kg",   "s",      "A",      "K",       "mol",    "cd",       "rad",    "sr",    "GHz", "J",
        "W",     "mV",   "N",      "Pa",     "C",       "Ohm",    "S",        "F",      "Wb",    "T",   "H",
        "lm",    "lx",   "deg",    "arcmin", "arcsec",  "mas",    "min",      "h",      "d",     "a",   "Myr",
        "keV",   "erg",  "Ry",     "u",      "solMass", "solLum", "Angstrom", "solRad", "AU",    "lyr", "Mpc",
        "count", "ct",   "photon", "ph",     "adu",     "uJy",    "mag",      "mG",     "pixel", "pix", "barn",
        "D",     "chan", "bin",    "voxel",  "bit",     "byte",   "beam"}) {
    const std::string unit = name;
    for (const std::string& fits : {unit, unit + "**2", unit + "**(-1)", "Jy/" + unit, unit + ".K", "10**3 " + unit})
      list << fits << '|' << vo_unit(fits) << '\n';
  }
  list.close();
  const auto [status, output] = testing::run_python(folder, compare_with_astropy, folder / "units");
  EXPECT_EQ(status, 0) << output;
  EXPECT_THAT(output, ::testing::HasSubstr("compared\n"));
}

/// What astropy.units reads in its FITS format: all names that it has, and texts of the grammar. Prints the size of
/// each in SI units with its powers (m, kg, s, A, K, mol, cd, rad), or none.
constexpr const char* read_with_astropy = R"(
import sys
import warnings
from astropy import units
from astropy.units.format.fits import Fits
warnings.simplefilter('ignore')
bases = [units.m, units.kg, units.s, units.A, units.K, units.mol, units.cd, units.rad]
texts = [line.rstrip('\n') for line in open(sys.argv[1])]
for text in texts + sorted(Fits._generate_unit_names()[0]):
    try: unit = units.Unit(text, format='fits').decompose(bases=bases + [units.ct, units.ph, units.adu, units.pix, units.vox, units.beam,
        units.bin, units.chan, units.bit, units.mag, units.Sun])
    except Exception: print('unit|' + text + '|none'); continue
    powers = dict(zip(unit.bases, unit.powers))
    print('unit|' + text + '|' + repr(float(unit.scale)) + '|' + ' '.join(repr(float(powers.get(b, 0))) for b in bases))
)";

TEST(UnitTest, AstropyReadsTheSameUnits) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  const testing::TemporaryFolder folder;
  std::ofstream list(folder / "texts");
  for (const char* text : {"Jy",
                           "Jy/beam",
                           "Jy beam-1",
                           "10**-17 erg/s",
                           "10^-17 erg/s",
                           "10-17 erg/s",
                           "10(-17) erg",
                           "10+3 Jy",
                           "10**(-17)erg/s",
                           "10**3",
                           "sqrt(Jy)",
                           "sqrt(m/s)",
                           "sqrt(m) s",
                           "Jy(1/2)",
                           "Jy**(1/2)",
                           "m^(5/2)",
                           "m^-2",
                           "m**+2",
                           "m+2",
                           "m-2.s",
                           "m*s",
                           "m * s",
                           "m  s",
                           "m / s",
                           "/s",
                           "m/s/s",
                           "m/(s kg)",
                           "erg/s/cm**2/Angstrom",
                           "(Jy)",
                           "1E-17 erg",
                           "2 Jy",
                           "100 Jy",
                           "Jy**",
                           "Jy*",
                           "Jy()",
                           "*Jy",
                           "Jy**0.5",
                           "m^2.5",
                           "log(Hz)",
                           "exp(m)",
                           "mag(AB)",
                           "K (Tb)",
                           "[Jy]",
                           "%",
                           "nanomaggies",
                           "mJy/px",
                           "kpixel",
                           "mmin",
                           "mAU",
                           "E",
                           "10",
                           "10erg",
                           "m(s",
                           "m)",
                           "m//s",
                           "m..s"})
    list << text << '\n';
  list.close();
  const auto [status, output] = testing::run_python(folder, read_with_astropy, folder / "texts");
  ASSERT_EQ(status, 0) << output;
  std::istringstream lines(output);
  int units = 0, none = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("unit|")) continue;
    std::istringstream fields(line.substr(5));
    std::string text, scale, powers;
    std::getline(fields, text, '|');
    std::getline(fields, scale, '|');
    std::getline(fields, powers);
    const std::optional<ParsedUnit> parsed = parse_unit(text);
    EXPECT_EQ(parsed.has_value(), scale != "none") << text;
    if (!parsed || scale == "none") {
      ++none;
      continue;
    }
    ++units;
    std::istringstream numbers(powers);
    std::array<double, 8> expected{};
    for (double& power : expected) numbers >> power;
    const std::array<Quantity, 8> bases{Quantity::length,
                                        Quantity::mass,
                                        Quantity::time,
                                        Quantity::current,
                                        Quantity::temperature,
                                        Quantity::amount,
                                        Quantity::luminous_intensity,
                                        Quantity::angle};
    for (std::size_t i = 0; i < bases.size(); ++i)
      EXPECT_NEAR(parsed->value.power(bases[i]), expected[i], 1e-9) << text << " power " << i;
    // Angles are degrees here, and radians there.
    const double in_radians = std::pow(std::numbers::pi / 180, parsed->value.power(Quantity::angle));
    EXPECT_NEAR(parsed->value.factor * in_radians / std::stod(scale), 1, 1e-6) << text;
  }
  EXPECT_GT(units, 700);
  EXPECT_GT(none, 20);
}

TEST(UnitTest, WhatIsOftenWrittenIsSpeltAsTheStandardDoes) {
  const std::pair<const char*, const char*> spellings[] = {
      {"DEGREES", "deg"},  {"KM/SEC", "km/s"}, {"JY / BEAM", "Jy / beam"}, {"electrons/s/pixels", "count/s/pixel"},
      {"\xc2\xb5m", "um"}, {" Jy ", "Jy"},     {"e-/s", "count/s"},        {"Kelvins", "K"}};
  for (const auto& [written, unit] : spellings) EXPECT_EQ(fits_unit(written), unit) << written;
}

TEST(UnitTest, SolidAnglesAreSquaresOfAngles) {
  EXPECT_NEAR(unit_factor("MJy/sr", "Jy/arcsec**2").value_or(0) / 2.3504430539097885e-5, 1, 1e-12);
  EXPECT_TRUE(is_per_area("MJy/sr"));
  EXPECT_TRUE(is_per_area("mag/arcsec2"));
  EXPECT_TRUE(is_per_area("adu pixel-1"));
  EXPECT_FALSE(is_per_area("Jy.beam"));
  EXPECT_FALSE(is_per_area("[Jy/beam]"));
}

TEST(UnitTest, AnyBytesAreAnswered) {
  std::mt19937 random(3);
  const std::string alphabet = "mJys10*^/.()+- beamqrt\xb5\x80";
  int read = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (std::size_t n = random() % 12; n > 0; --n) text += alphabet[random() % alphabet.size()];
    const std::string unit = fits_unit(text);
    if (unit.empty()) continue;
    ++read;
    EXPECT_EQ(fits_unit(unit), unit) << text;
    EXPECT_EQ(unit_factor(text, unit), 1.0) << text;
  }
  EXPECT_GT(read, 1000);
}

}  // namespace
}  // namespace srcextract
