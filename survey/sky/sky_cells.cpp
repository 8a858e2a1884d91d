#include "survey/sky/sky_cells.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "survey/sky/healpix.hpp"

namespace srcextract {
namespace {

using Counts = std::span<const std::pair<std::int64_t, std::int64_t>>;

/// The part of `counts` for cells that are inside cell `pixel` of order `order`. `counts` has pairs of a cell of
/// smallest_order and its number of rows, sorted by cell.
Counts counts_in(Counts counts, int order, std::int64_t pixel) {
  const int shift = 2 * (SkyCells::smallest_order - order);
  const auto first = std::ranges::lower_bound(counts, pixel << shift, {}, &Counts::value_type::first);
  const auto end = std::ranges::lower_bound(counts, (pixel + 1) << shift, {}, &Counts::value_type::first);
  return {first, end};
}

void divide(Counts counts, int order, std::int64_t pixel, std::int64_t most_rows, std::vector<SkyCell>& cells) {
  const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0},
                                            [](auto sum, const auto& c) { return sum + c.second; });
  if (rows == 0) return;
  if (rows <= most_rows || order == SkyCells::smallest_order) {
    cells.push_back({order, pixel, rows});
    return;
  }
  for (std::int64_t part = 4 * pixel; part < 4 * pixel + 4; ++part)
    divide(counts_in(counts, order + 1, part), order + 1, part, most_rows, cells);
}

}  // namespace

std::int64_t SkyCell::begin() const {
  return pixel << (2 * (finest_healpix_order - order));
}

std::int64_t SkyCell::end() const {
  return (pixel + 1) << (2 * (finest_healpix_order - order));
}

void SkyCells::add(std::int64_t finest) {
  ++rows_of_[healpix_ancestor(finest, smallest_order)];
}

std::vector<SkyCell> SkyCells::divide(std::int64_t most_rows) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> counts(rows_of_.begin(), rows_of_.end());
  std::ranges::sort(counts);
  std::vector<SkyCell> cells;
  constexpr std::int64_t faces = 12;
  for (std::int64_t face = 0; face < faces; ++face)
    srcextract::divide(counts_in(counts, 0, face), 0, face, most_rows, cells);
  return cells;
}

}  // namespace srcextract
