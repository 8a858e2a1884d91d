// Pairs of opposite changes: which are a dipole, and which are not.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "stages/measure/dipoles.hpp"
#include "tests/support/usual_sources.hpp"

namespace srcextract {
namespace {

struct Change {
  double x, y, flux, snr;
  std::int16_t sign;
};

Sources changes_of(const std::vector<Change>& changes) {
  Sources sources = testing::usual_sources(changes.size());
  std::vector<std::int16_t> sign;
  for (std::size_t row = 0; row < changes.size(); ++row) {
    sources[columns::x_image][row] = changes[row].x;
    sources[columns::y_image][row] = changes[row].y;
    sources[columns::flux_iso][row] = changes[row].flux;
    sources[columns::snr][row] = changes[row].snr;
    sign.push_back(changes[row].sign);
  }
  sources.add({{columns::sign, "", "", "", 0}, "SIGN", sign, CatalogPart::sign});
  return sources;
}

constexpr ColumnKey<std::int16_t> dipole{"DIPOLE"};
constexpr ColumnKey<double> separation{"DIPOLE_SEP"}, ratio{"DIPOLE_RATIO"};

Sources with_dipoles(const std::vector<Change>& changes) {
  Sources sources = changes_of(changes);
  add_dipoles(3, ColumnChoice({"all"}), sources);
  return sources;
}

TEST(Dipoles, AreTwoAlikeChangesOfOppositeSigns) {
  const Sources sources = with_dipoles({{100, 50, 300, 20, 1}, {103, 54, 200, 14, -1}, {300, 50, 500, 30, 1}});
  EXPECT_EQ(sources[dipole], (std::vector<std::int16_t>{1, 1, 0}));
  EXPECT_DOUBLE_EQ(sources[separation][0], 5);
  EXPECT_DOUBLE_EQ(sources[separation][1], 5);
  EXPECT_DOUBLE_EQ(sources[ratio][0], 0.6);
  EXPECT_TRUE(std::isnan(sources[separation][2]) && std::isnan(sources[ratio][2]));
}

TEST(Dipoles, AreNeitherUnlikeNorFaintNorFarNorOfOneSign) {
  EXPECT_EQ(with_dipoles({{10, 10, 300, 20, 1}, {14, 10, 100, 7, -1}})[dipole], (std::vector<std::int16_t>{0, 0}));
  EXPECT_EQ(with_dipoles({{10, 10, 100, 4, 1}, {14, 10, 100, 4, -1}})[dipole], (std::vector<std::int16_t>{0, 0}));
  EXPECT_EQ(with_dipoles({{10, 10, 300, 20, 1}, {17.6, 10, 300, 20, -1}})[dipole], (std::vector<std::int16_t>{0, 0}));
  EXPECT_EQ(with_dipoles({{10, 10, 300, 20, 1}, {14, 10, 300, 20, 1}})[dipole], (std::vector<std::int16_t>{0, 0}));
}

/// The pixels above a threshold hold 300 and 100 of two stars that have 400 and 380; of the third, no star's flux is
/// known.
TEST(Dipoles, AreAlikeInTheFluxOfTheirStars) {
  Sources sources =
      changes_of({{10, 10, 300, 20, 1}, {14, 10, 100, 7, -1}, {90, 10, 300, 20, 1}, {94, 10, 100, 7, -1}});
  const double nan = std::nan("");
  sources.add(
      {{"FLUX_PSF", "", "", "", 0}, "FLUX_PSF", std::vector<double>{400, 380, 400, nan}, CatalogPart::requested});
  add_dipoles(3, ColumnChoice({"all"}), sources);
  EXPECT_EQ(sources[dipole], (std::vector<std::int16_t>{1, 1, 0, 0}));
  EXPECT_DOUBLE_EQ(sources[ratio][0], 400.0 / 780);
  EXPECT_DOUBLE_EQ(sources[ratio][2], 0.75);
}

/// The middle one of three has one partner, the nearer.
TEST(Dipoles, HaveTwoHalves) {
  const Sources sources = with_dipoles({{10, 13, 200, 20, -1}, {10, 10, 200, 20, 1}, {10, 6, 200, 20, -1}});
  EXPECT_EQ(sources[dipole], (std::vector<std::int16_t>{1, 1, 0}));
}

TEST(Dipoles, AreColumnsOnlyWhereTheyAreAskedFor) {
  Sources sources = changes_of({{10, 10, 300, 20, 1}});
  add_dipoles(3, ColumnChoice({"default", "DIPOLE"}), sources);
  EXPECT_TRUE(sources.has("DIPOLE") && !sources.has("DIPOLE_SEP"));
  Sources none = changes_of({});
  add_dipoles(3, ColumnChoice({"all"}), none);
  EXPECT_EQ(none.size(), 0);
}

}  // namespace
}  // namespace srcextract
