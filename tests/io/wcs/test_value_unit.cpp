#include "io/wcs/value_unit.hpp"

#include <gtest/gtest.h>

namespace srcextract {
namespace {

void expect_all(std::initializer_list<const char*> texts, ValueKind kind, bool per_second = false, double factor = 1) {
  for (const char* text : texts) {
    const ValueUnit unit = value_unit(text);
    EXPECT_EQ(unit.kind, kind) << text;
    EXPECT_EQ(unit.per_second, per_second) << text;
    EXPECT_NEAR(unit.factor, factor, 1e-12 * factor) << text;
  }
}

TEST(ValueUnit, KnowsElectronsInEverySpelling) {
  expect_all({"electron", "ELECTRONS", "Electrons", "e-", "e", "e- / pix", "electron/pixel", "photon", "PHOTONS", "ph",
              "[e-]", "electrons (sky subtracted)"},
             ValueKind::electrons);
  expect_all({"electron/s", "ELECTRONS/S", "electrons/sec", "e-/s", "e/s", "e- s-1", "electron s**-1", "e- / s",
              "e\xe2\x88\x92/s", "eps", "electrons per second", "photon/s", "e-/s/pix"},
             ValueKind::electrons, true);
}

TEST(ValueUnit, KnowsCounts) {
  expect_all(
      {"", " ", "adu", "ADU", "DN", "count", "COUNTS", "cts", "(ADU)", "data numbers", "Counts (bias-subtracted)"},
      ValueKind::counts);
  expect_all({"adu/s", "ADU/SEC", "DN/s", "counts/s", "ct s-1", "cps", "counts per second", "count/(s pix)"},
             ValueKind::counts, true);
  expect_all({"adu/min"}, ValueKind::counts, true, 1 / 60.0);
  expect_all({"10**3 adu"}, ValueKind::counts, false, 1000);
}

TEST(ValueUnit, KnowsWhatIsCalibrated) {
  expect_all({"MJy/sr",
              "Jy",
              "JY/BEAM",
              "mJy/pixel",
              "nJy",
              "microJy",
              "uJy",
              "nanomaggies",
              "nanomaggy",
              "NMGY",
              "K",
              "K (Tb)",
              "mK",
              "erg/s/cm2",
              "ergs/cm2/s/A",
              "10^-20 erg/s/cm^2/Ang",
              "W/m2",
              "photon/s/cm2/Angstrom",
              "count/s/arcsec2",
              "FLUX"},
             ValueKind::calibrated);
  expect_all({"mag", "MAG", "mag/arcsec2", "mag/arcsec^2", "ABmag", "[mag]", "magnitudes"}, ValueKind::magnitudes);
}

TEST(ValueUnit, KnowsWhatItDoesNotKnow) {
  expect_all({"none", "N/A", "unknown", "UNCALIB", "1", "arbitrary"}, ValueKind::unknown);
}

}  // namespace
}  // namespace srcextract
