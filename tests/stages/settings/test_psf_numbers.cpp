// Models of PSFEx's files: the order of their terms, the planes of SPREAD_MODEL, and answers to damaged ones.
#include "stages/settings/psf_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "stages/math/psf_model.hpp"
#include "tests/support/psf_tables.hpp"

namespace srcextract {
namespace {

using testing::gaussian;
using ::testing::HasSubstr;
using testing::psf_table;

NumberTable usual() {
  return psf_table(25, 1, 4, {gaussian(1.7), gaussian(2), gaussian(3)});
}

TEST(PsfNumbers, HaveTermsInTheOrderOfPsfex) {
  NumberTable table = psf_table(9, 1, 4, std::vector<testing::PsfPlane>(6, gaussian(1)));
  table.cards["POLDEG1"] = 2.0;
  const TableNumbers numbers = psf_numbers({table});
  ASSERT_EQ(numbers.problem, "");
  const PsfModel model(numbers.sets.front().data());
  const double x = 90, y = 70, u = 1, v = 0.5;  // zero 50, scale 40
  const double expected[] = {1, u, u * u, v, u * v, v * v};
  ASSERT_EQ(model.terms, 6);
  for (int i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(model.term(i, x, y), expected[i]) << i;
}

TEST(PsfNumbers, MultiplyGroups) {
  NumberTable table = psf_table(9, 1, 4, std::vector<testing::PsfPlane>(6, gaussian(1)));
  table.cards["POLNGRP"] = 2.0;
  table.cards["POLGRP2"] = 2.0;
  table.cards["POLDEG1"] = 1.0;
  table.cards["POLDEG2"] = 2.0;
  const TableNumbers numbers = psf_numbers({table});
  ASSERT_EQ(numbers.problem, "");
  const PsfModel model(numbers.sets.front().data());
  const double u = 1, v = 0.5, expected[] = {1, u, v, u * v, v * v, u * v * v};
  for (int i = 0; i < 6; ++i) EXPECT_DOUBLE_EQ(model.term(i, 90, 70), expected[i]) << i;
}

TEST(PsfNumbers, TakeOneStarForAConstantPsf) {
  NumberTable table = usual();
  table.cards["POLSCAL1"] = table.cards["POLSCAL2"] = 0.0;
  const TableNumbers numbers = psf_numbers({table});
  ASSERT_EQ(numbers.problem, "");
  const PsfModel model(numbers.sets.front().data());
  EXPECT_EQ(model.term(0, 7, 9), 1);
  EXPECT_EQ(model.term(1, 7, 9), 0);
}

/// An exponential disk of scale length h has the variance 3 h^2 along either axis, and keeps the light. Its points are
/// put into the middles of the mask's pixels, which adds the variance of five points in a pixel, 0.08 of its area.
TEST(PsfNumbers, ConvolveWithAnExponentialDisk) {
  for (const double step : {0.5, 1.0}) {
    constexpr double fwhm = 8, h = fwhm / 16, sigma = 2;
    const TableNumbers numbers = psf_numbers({psf_table(41, step, fwhm, {gaussian(sigma)})});
    ASSERT_EQ(numbers.problem, "");
    const PsfModel model(numbers.sets.front().data());
    double light = 0, spread = 0, across = 0, down = 0, wide_across = 0;
    for (int x = 0; x < 41; ++x) {
      for (int y = 0; y < 41; ++y) {
        const double p = model.light()[x * 41 + y], g = model.spread()[x * 41 + y], dx = (x - 20) * step,
                     dy = (y - 20) * step;
        light += p;
        spread += g;
        across += p * dx * dx;
        wide_across += g * dx * dx;
        down += g * dy * dy;
      }
    }
    EXPECT_NEAR(spread / light, 1, step == 1 ? 1e-5 : 1e-3);
    EXPECT_NEAR(wide_across / spread - across / light, 3 * h * h + 0.08 * step * step, 0.02);
    EXPECT_NEAR(down / spread, wide_across / spread, 1e-9);
  }
}

TEST(PsfNumbers, AreOneSetForEachTable) {
  NumberTable other;
  other.name = "PSF_COEFFS";
  EXPECT_EQ(psf_numbers({usual(), other, usual()}).sets.size(), 2U);
}

std::string refusal(const std::function<void(NumberTable&)>& damage) {
  NumberTable table = usual();
  damage(table);
  return psf_numbers({table}).problem;
}

TEST(PsfNumbers, RefuseWhatIsNoSuchModel) {
  EXPECT_THAT(psf_numbers({}).problem, HasSubstr("no table PSF_DATA"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.columns.clear(); }), HasSubstr("no column PSF_MASK"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.columns["PSF_MASK"].pop_back(); }), HasSubstr("has 1874 values"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.columns["PSF_MASK"][7] = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("not finite"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.columns["PSF_MASK"].assign(1875, 0); }), HasSubstr("0 everywhere"));
  EXPECT_THAT(refusal([](NumberTable& t) {
                for (double& value : t.columns["PSF_MASK"]) value = -value;
              }),
              HasSubstr("no light of a star"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["POLNAME2"] = ":AIRMASS"; }), HasSubstr("varies with ':AIRMASS'"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["POLNAXIS"] = 5.0; }), HasSubstr("POLNAXIS"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards.erase("POLZERO1"); }), HasSubstr("POLZERO"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["POLDEG1"] = 9.0; }), HasSubstr("3 planes, and a polynomial of 55"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["POLDEG1"] = 10.0; }), HasSubstr("more than 64 terms"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["POLGRP1"] = 2.0; }), HasSubstr("POLNGRP"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["PSFAXIS1"] = -25.0; }), HasSubstr("PSFAXIS"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["PSFAXIS1"] = 1e300; }), HasSubstr("PSFAXIS"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["PSFAXIS2"] = 7.0; }), HasSubstr("fewer than 8"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["PSF_SAMP"] = 1e6; }), HasSubstr("1024 pixels"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["PSF_FWHM"] = 0.0; }), HasSubstr("PSF_FWHM"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["PSF_FWHM"] = 1e-300; }), HasSubstr("PSF_FWHM"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["PSF_SAMP"] = 1e-9; }), HasSubstr("less than a pixel"));
  for (const double step : {0.0, -0.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(refusal([&](NumberTable& t) { t.cards["PSF_SAMP"] = step; }), HasSubstr("PSF_SAMP is not above 0"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["PSF_SAMP"] = "fine"; }), HasSubstr("PSF_SAMP is not above 0"));
  for (const double scale : {1e-300, -1e-9})
    EXPECT_THAT(refusal([&](NumberTable& t) { t.cards["POLSCAL1"] = scale; }), HasSubstr("POLSCAL1"));
  EXPECT_THAT(refusal([](NumberTable& t) { t.cards["POLZERO2"] = 1e300; }), HasSubstr("POLZERO2"));
}

TEST(PsfNumbers, HaveDefaultsWherePsfexHasThem) {
  NumberTable table = usual();
  table.cards.erase("PSF_FWHM");
  table.cards.erase("PSF_SAMP");
  const TableNumbers numbers = psf_numbers({table});
  ASSERT_EQ(numbers.problem, "");
  const PsfModel model(numbers.sets.front().data());
  EXPECT_EQ(model.fwhm, 3);
  EXPECT_EQ(model.step, 1);
}

}  // namespace
}  // namespace srcextract
