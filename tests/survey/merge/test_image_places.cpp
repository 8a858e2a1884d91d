#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "io/files/big_endian.hpp"
#include "survey/merge/image_places.hpp"

namespace srcextract {
namespace {

/// Rows of a text of two bytes and of positions.
std::vector<std::byte> rows_of(const std::vector<std::pair<double, double>>& positions) {
  std::vector<std::byte> rows;
  for (const auto& [ra, dec] : positions) {
    rows.resize(rows.size() + 18);
    store_big_endian(ra, rows.data() + rows.size() - 16);
    store_big_endian(dec, rows.data() + rows.size() - 8);
  }
  return rows;
}

const std::vector<StoredColumn> position_columns = {{"IMAGE", "2A", "", "", "", std::nullopt, 2},
                                                    {"ALPHA_J2000", "D", "", "", "", std::nullopt, 8},
                                                    {"DELTA_J2000", "1D", "", "", "", std::nullopt, 8}};

TEST(ImagePlaces, AreThoseOfTheirRows) {
  ImagePlaces places(3, position_columns);
  places.begin(0, 2);
  places.add(rows_of({{150, 2}, {std::nan(""), std::nan("")}}));
  places.begin(2, 1000);
  for (int i = 0; i < 10; ++i) places.add(rows_of({100, {20, -30}}));
  const std::vector<SkyPlace> known = places.take();
  EXPECT_NEAR(known[0].ra, 150, 1e-4);
  EXPECT_NEAR(known[0].dec, 2, 1e-4);
  EXPECT_FALSE(known[1].is_known());
  EXPECT_NEAR(known[2].dec, -30, 1e-4);
}

TEST(ImagePlaces, AreNotKnownWithoutColumnsOfPositions) {
  ImagePlaces places(1, {position_columns[0], position_columns[1]});
  places.begin(0, 1);
  places.add(std::vector<std::byte>(10));
  EXPECT_FALSE(places.take()[0].is_known());
}

}  // namespace
}  // namespace srcextract
