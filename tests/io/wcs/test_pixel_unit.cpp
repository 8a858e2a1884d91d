#include "io/wcs/pixel_unit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace srcextract {
namespace {

std::string header(const std::string& card) {
  std::string out = "SIMPLE  =                    T";
  out.resize(80, ' ');
  out += card;
  out.resize(160, ' ');
  return out + "END" + std::string(77, ' ');
}

std::string unit_of(const std::string& bunit) {
  return pixel_unit(header("BUNIT   = '" + bunit + "' / unit"));
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

TEST(PixelUnitTest, WhatIsNoUnitIsSextractorsCount) {
  for (const char* text : {"", "        ", "arbitrary", "???", "flux (10^3)", "log(Hz)", "\x01\x02\xff", "nanomaggy"})
    EXPECT_EQ(unit_of(text), "count") << text;
  EXPECT_EQ(unit_of(std::string(60, 'J')), "count");
  EXPECT_EQ(pixel_unit(""), "count");
  EXPECT_EQ(pixel_unit(header("BUNIT   =                    3")), "count");
  EXPECT_EQ(pixel_unit(header("BUNIT   = 'Jy")), "count");
  EXPECT_EQ(pixel_unit(header("COMMENT  BUNIT   = 'Jy'")), "count");
}

}  // namespace
}  // namespace srcextract
