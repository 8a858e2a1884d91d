#include "stages/fit/fit_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <tuple>
#include <utility>

namespace srcextract {
namespace {

/// The pixels of row y in the columns [begin, end).
struct RowPart {
  std::int32_t y, begin, end;
};

/// Appends the rows of the ellipse d' K^-1 d < reach around the Gaussian's centre, where K is the Gaussian's shape.
/// Parts outside of the image are left out.
void add_ellipse(const Gaussian& g, double reach, const Shape& shape, std::vector<RowPart>& to) {
  const GaussianShape spread = g.spread();
  const double height = std::sqrt(reach * spread.yy);
  const auto first = std::max(0.0, std::ceil(g.y - height)), last = std::min<double>(shape.height - 1.0, g.y + height);
  for (double y = first; y <= last; y += 1) {
    // In the row at the distance dy from the centre, the middle of the ellipse is at dx = dy Kxy / Kyy.
    const double dy = y - g.y, left = reach - dy * dy / spread.yy;
    if (!(left > 0)) continue;
    const double middle = g.x + dy * spread.xy / spread.yy;
    const double half = std::sqrt(left * spread.determinant() / spread.yy);
    const double begin = std::max(0.0, std::ceil(middle - half));
    const double end = std::min<double>(shape.width - 1.0, std::floor(middle + half));
    if (begin <= end)
      to.push_back(
          {static_cast<std::int32_t>(y), static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end) + 1});
  }
}

/// Sorts parts of rows, and joins parts that overlap.
void join(std::vector<RowPart>& all) {
  std::ranges::sort(all, {}, [](const RowPart& one) { return std::tuple(one.y, one.begin, one.end); });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].y == all[kept].y && all[i].begin <= all[kept].end)
      all[kept].end = std::max(all[kept].end, all[i].end);
    else
      all[++kept] = all[i];
  }
  if (!all.empty()) all.resize(kept + 1);
}

/// Appends the unmasked pixels of a part of a row to `to`, in units of the island's noise.
void add_part(const FitMap& map, const FitIsland& island, const RowPart& of, FitPixels& to) {
  for (std::int32_t x = of.begin; x < of.end; ++x) {
    const float value = map.at(x, of.y);
    if (value != value) continue;
    to.x.push_back(x);
    to.y.push_back(of.y);
    to.value.push_back(static_cast<double>(value) / island.noise());
  }
}

/// Appends the unmasked pixels of a part of a row that belong to no other island.
void add_pixels(const FitMap& map, const FitIsland& island, const RowPart& of, FitPixels& to) {
  const Run* const runs = map.runs.runs.data();
  const Run* const end = runs + map.runs.row_begin[of.y + 1];
  const Run* run = std::lower_bound(runs + map.runs.row_begin[of.y], end, of.begin,
                                    [](const Run& one, std::int32_t x) { return one.end <= x; });
  std::int32_t x = of.begin;
  for (; run != end && run->begin < of.end; ++run) {
    const std::int32_t label = map.label[run - runs];
    if (label == 0 || label == island.number()) continue;
    add_part(map, island, {of.y, x, run->begin}, to);
    x = run->end;
  }
  add_part(map, island, {of.y, x, of.end}, to);
}

}  // namespace

bool choose_pixels(const FitMap& map, const FitIsland& island, const std::vector<Fitted>& of, double radius,
                   FitPixels& to) {
  constexpr double least_pixels = 14;
  std::vector<RowPart> parts;
  for (const Fitted& one : of) {
    const double least_reach = least_pixels / (std::numbers::pi * one.now.extent());
    add_ellipse(one.now, std::max(radius * radius * fwhm_squared, least_reach), map.shape(), parts);
  }
  join(parts);
  FitPixels chosen;
  std::size_t most = 0;
  for (const RowPart& one : parts) most += static_cast<std::size_t>(one.end - one.begin);
  chosen.reserve(most);
  for (const RowPart& one : parts) add_pixels(map, island, one, chosen);
  if (chosen.x == to.x && chosen.y == to.y) return false;
  to = std::move(chosen);
  return true;
}

}  // namespace srcextract
