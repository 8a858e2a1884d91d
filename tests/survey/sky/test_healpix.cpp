#include "survey/sky/healpix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <random>

namespace srcextract {
namespace {

/// What astropy-healpix 0.6 says of these directions, for cells of three orders: edges and poles among them.
struct Known {
  double ra, dec;
  std::int64_t face, of_order_6, finest;
};
constexpr Known known[] = {
    {0, 0, 4, 19456, 1369094286720630784},
    {44.999, 0.001, 0, 0, 169387028},
    {90, 0, 5, 23552, 1657324662872342528},
    {180, 0, 6, 27648, 1945555039024054272},
    {359.9999, 0.0001, 4, 19456, 1369094286722864718},
    {12.5, 41.8, 0, 2666, 187626859607007809},
    {12.5, 41.81031, 0, 2666, 187626889091063942},
    {12.5, 41.8104, 0, 2666, 187626889094243322},
    {12.5, -41.8, 8, 35434, 2493469919363903101},
    {100, -41.9, 9, 39573, 2784746784583387670},
    {0, 90, 0, 4095, 288230376151711743},
    {123, 90, 1, 8191, 576460752303423487},
    {10, -90, 8, 32768, 2305843009213693952},
    {300, 89.9999, 3, 16383, 1152921504606420998},
    {300, -89.999, 11, 45056, 3170534137718570249},
    {1, 66.6, 0, 3754, 264219553159150455},
    {91, 66.6, 1, 7850, 552449929310862199},
    {181, -66.6, 10, 41642, 2930311169430014020},
    {271, -66.6, 11, 45738, 3218541545581725764},
    {83.63308, 22.0145, 5, 24185, 1701909093095845960},
    {201.365, -43.019, 10, 43262, 3044352322600538294},
    {266.41684, -29.00781, 7, 28830, 2028740913184737052},
    {299.86815, 40.73392, 3, 14744, 1037535034248430907},
    {0.0001, -89.9999, 8, 32768, 2305843009215801994},
    {179.9999, 45, 1, 5493, 386558970879007008},
    {180.0001, 45, 2, 10938, 769740237742532112},
    {269.99, -75, 10, 41232, 2901449851504464133},
    {270.01, -75, 11, 45600, 3208826316824797706},
    {350, -20, 4, 17000, 1196312428390375210},
    {-10, -20, 4, 17000, 1196312428390375210},
    {370, 5, 4, 18151, 1277268106671753906},
    {22.5, 30, 0, 2240, 157625986957967360},
    {67.5, -30, 8, 34752, 2445454597662179328},
    {337.5, 10, 4, 19392, 1364604761637191487},
};

TEST(Healpix, CellsAreThoseOfAstropy) {
  for (const Known& at : known) {
    SCOPED_TRACE(std::to_string(at.ra) + ", " + std::to_string(at.dec));
    EXPECT_EQ(healpix_cell(at.ra, at.dec, 0), at.face);
    EXPECT_EQ(healpix_cell(at.ra, at.dec, 6), at.of_order_6);
    EXPECT_EQ(healpix_cell(at.ra, at.dec, finest_healpix_order), at.finest);
  }
}

struct Direction {
  double ra, dec;
};

Direction random_direction(std::mt19937_64& random) {
  std::uniform_real_distribution<double> ra(0, 360), z(-1, 1);
  const double along = ra(random);
  return {along, std::asin(z(random)) * 180 / std::numbers::pi};
}

TEST(Healpix, CellsAreOfEqualArea) {
  std::mt19937_64 random(3);
  std::map<std::int64_t, int> in_cell;
  constexpr int cells = 12 * 16, each = 2000;
  for (int i = 0; i < cells * each; ++i) {
    const auto [ra, dec] = random_direction(random);
    ++in_cell[healpix_cell(ra, dec, 2)];
  }
  ASSERT_EQ(in_cell.size(), static_cast<std::size_t>(cells));
  double chi2 = 0;
  for (const auto& [cell, count] : in_cell) chi2 += (count - each) * (count - each) / static_cast<double>(each);
  EXPECT_NEAR(chi2, cells - 1, 5 * std::sqrt(2.0 * cells));
}

TEST(Healpix, CellsOfEachOrderAreInThoseOfTheOrderBefore) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 10'000; ++i) {
    const auto [ra, dec] = random_direction(random);
    const std::int64_t finest = healpix_cell(ra, dec, finest_healpix_order);
    for (const int order : {0, 1, 5, 13, 28}) ASSERT_EQ(healpix_ancestor(finest, order), healpix_cell(ra, dec, order));
  }
}

}  // namespace
}  // namespace srcextract
