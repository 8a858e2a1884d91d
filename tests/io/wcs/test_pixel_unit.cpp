#include "io/wcs/pixel_unit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/io/support/io_test_support.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

std::string header_with(const std::string& card) {
  std::string out = "SIMPLE  =                    T";
  out.resize(80, ' ');
  out += card;
  out.resize(160, ' ');
  return out + "END" + std::string(77, ' ');
}

std::string unit_of(const std::string& bunit) {
  return pixel_unit(header_with("BUNIT   = '" + bunit + "' / unit"));
}

TEST(PixelUnitTest, AFitsUnitIsKeptAsItIs) {
  for (const char* unit : {"Jy/beam", "Jy beam-1", "MJy/sr", "adu", "count", "ct", "K", "count/s", "mag", "uJy",
                           "10**-17 erg/s", "erg/s/cm**2/Angstrom"}) {
    EXPECT_EQ(unit_of(unit), unit);
  }
  EXPECT_EQ(unit_of("  Jy/beam  "), "Jy/beam");
}

TEST(PixelUnitTest, WhatObservatoriesWriteBecomesAFitsUnit) {
  const std::pair<const char*, const char*> spellings[] = {
      {"JY/BEAM", "Jy/beam"},  {"jy/beam", "Jy/beam"},     {"JY", "Jy"},          {"ADU", "adu"},
      {"DN", "adu"},           {"DN/s", "adu/s"},          {"counts", "count"},   {"COUNTS", "count"},
      {"COUNTS/S", "count/s"}, {"ELECTRONS/S", "count/s"}, {"electron", "count"}, {"e-", "count"}};
  for (const auto& [written, unit] : spellings) EXPECT_EQ(unit_of(written), unit) << written;
}

TEST(SumUnitTest, AmountsAddUpToAmounts) {
  for (const char* unit : {"count", "adu", "Jy", "count/s", "mag", "10**-17 erg/s", "erg/s/cm**2/Angstrom", ""})
    EXPECT_EQ(sum_unit(unit), unit);
}

TEST(SumUnitTest, BrightnessesPerAreaAreMultipliedByThatOfAPixel) {
  const std::pair<const char*, const char*> sums[] = {{"Jy/beam", "pixel.Jy/beam"},
                                                      {"Jy beam-1", "pixel.Jy beam-1"},
                                                      {"MJy/sr", "pixel.MJy/sr"},
                                                      {"mag/arcsec**2", "pixel.mag/arcsec**2"},
                                                      {"10**-17 erg/arcsec**2", "10**-17 pixel.erg/arcsec**2"},
                                                      {"Jy/pixel", "Jy"},
                                                      {"adu/pix", "adu"}};
  std::string pairs;
  for (const auto& [unit, sum] : sums) {
    EXPECT_EQ(sum_unit(unit), sum);
    pairs += std::string(unit) + "\n" + sum + "\n";
  }
  if (!testing::have_astropy()) return;
  const testing::TemporaryFolder directory;
  const auto [status, output] = testing::run_python(directory, R"(
import sys
from astropy import units
lines = open(sys.argv[1]).read().splitlines()
for unit, sum in zip(lines[::2], lines[1::2]):
    for form in 'fits', None:
        assert units.Unit(sum, format=form) == units.pixel * units.Unit(unit, format='fits'), (unit, sum, form)
)",
                                                    directory.write("units", pairs));
  EXPECT_EQ(status, 0) << output;
}

TEST(PixelUnitTest, WhoSaysNothingHoldsCounts) {
  for (const char* text : {"", "        "}) EXPECT_EQ(unit_of(text), "count") << text;
  EXPECT_EQ(pixel_unit(""), "count");
  EXPECT_EQ(pixel_unit(header_with("BUNIT   =")), "count");
  EXPECT_EQ(pixel_unit(header_with("COMMENT  BUNIT   = 'Jy'")), "count");
  EXPECT_EQ(pixel_unit(header_with("HIERARCH BUNIT = 'Jy'")), "count");
}

TEST(PixelUnitTest, WhatIsNoUnitIsLeftOut) {
  for (const char* text : {"arbitrary", "???", "flux (10^3)", "log(Hz)", "\x01\x02\xff", "nanomaggy", "nanomaggies",
                           "%", "K (Tb)", "[Jy]", "Jy]", "\x80\x80", "mag(AB)", "Jy**", "10"})
    EXPECT_EQ(unit_of(text), "") << text;
  EXPECT_EQ(unit_of(std::string(60, 'J')), "");
  EXPECT_EQ(pixel_unit(header_with("BUNIT   =                    3")), "");
  EXPECT_EQ(pixel_unit(header_with("BUNIT   = 'Jy")), "");
}

TEST(PixelUnitTest, TheSignOfMicroIsU) {
  for (const char* text : {"\xb5Jy", "\xc2\xb5Jy", "\xce\xbcJy", "uJy"}) EXPECT_EQ(unit_of(text), "uJy") << text;
  EXPECT_EQ(unit_of("\xb5Jy/beam"), "uJy/beam");
}

}  // namespace
}  // namespace srcextract
