#include "io/wcs/unit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

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
        std::pair("COUNTS/S", "count / s"), std::pair("JY/BEAM", "Jy / beam"), std::pair("DEG", "deg")}) {
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

}  // namespace
}  // namespace srcextract
