#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "regression/columns/catalog.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract::testing {

/// A catalogue in memory, whose columns a test may spoil.
struct TestCatalog {
  Table table;

  std::vector<double>& column(const std::string& name);
  /// Keeps the rows of these numbers, in this order.
  void keep(const std::vector<std::int64_t>& rows);
  Catalog catalog(const SideRules& rules = {}) const;
};

/// At the default rules; of units only mJy and Jy are known.
Comparison compare(const TestCatalog& reference, const TestCatalog& other, int threads = 2);

/// The findings, a line each.
std::string words(const Comparison& comparison);

/// The sky: what there is to be seen in a field of `size` pixels squared, before anybody measures it.
struct Star {
  double x, y, flux, a, b, theta;
};
std::vector<Star> make_sky(std::int64_t stars, double size, std::uint64_t seed);

/// What one exposure of that sky gives: every quantity scatters about the truth as photon and sky noise make it, and
/// what comes out fainter than the limit is not in the catalogue. Columns are those of srcextract.
TestCatalog observe(const std::vector<Star>& sky, std::uint64_t seed);

/// The same with no noise, so that two of them are equal.
TestCatalog observe_exactly(const std::vector<Star>& sky);

}  // namespace srcextract::testing
