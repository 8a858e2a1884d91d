#include "regression/matching/align_samples.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <tuple>
#include <utility>

#include "regression/statistics/robust.hpp"

namespace srcextract {
namespace {

double median_sigma(const Positions& positions) {
  std::vector<double> sigma(positions.sigma.begin(), positions.sigma.end());
  std::erase_if(sigma, [](double value) { return !std::isfinite(value) || value < 0; });
  return median_of(sigma);
}

}  // namespace

AlignmentSamples::AlignmentSamples(Positions reference, Positions other, double radius)
    : reference_(std::move(reference)), other_(std::move(other)), radius_(radius) {
  if (!reference_.sigma.empty() && !other_.sigma.empty()) {
    reach_.x = reach_.y = radius * std::hypot(median_sigma(reference_), median_sigma(other_));
  } else {
    reach_.x = reach_.y = radius;
  }
  if (reference_.frame == Frame::pixel) return;
  constexpr double degree = std::numbers::pi / 180;
  std::vector<double> dec = reference_.y;
  for (double& value : dec) value = std::abs(value);
  // Degrees of right ascension that span the radius; bounded, since none do at a pole.
  reach_.x /= std::max(1e-3, std::cos(median_of(dec) * degree));
}

Alignment AlignmentSamples::vote(Alignment alignment) const {
  if (is_unit(alignment.change)) return alignment;
  // Each pair votes for four squares, two radii wide and one radius apart, that contain its offset. One square around
  // the true offset gets all votes of true pairs.
  struct Vote {
    double column, row;
    Offset offset;
    bool operator<(const Vote& v) const { return std::tie(column, row) < std::tie(v.column, v.row); }
  };
  const Offset reach = reach_for(alignment);
  std::vector<Vote> votes;
  votes.reserve(4 * reference_.x.size() * other_.x.size());
  for (std::size_t i = 0; i < reference_.x.size(); ++i) {
    for (std::size_t j = 0; j < other_.x.size(); ++j) {
      const Offset offset = excess(reference_, i, other_, j, alignment);
      if (!std::isfinite(offset.x) || !std::isfinite(offset.y)) continue;
      const double column = std::floor(offset.x / reach.x), row = std::floor(offset.y / reach.y);
      for (const double right : {0, 1}) {
        for (const double up : {0, 1}) votes.push_back({column + right, row + up, offset});
      }
    }
  }
  std::stable_sort(votes.begin(), votes.end());
  std::vector<Offset> most;
  for (auto begin = votes.begin(), end = begin; begin != votes.end(); begin = end) {
    end = std::find_if(begin, votes.end(), [&](const Vote& vote) { return *begin < vote; });
    if (static_cast<std::size_t>(end - begin) <= most.size()) continue;
    most.clear();
    std::transform(begin, end, std::back_inserter(most), [](const Vote& vote) { return vote.offset; });
  }
  if (most.empty()) return alignment;
  add_median(alignment, most);
  for (int round = 0; round < 2; ++round) refine(alignment, reference_, other_, match(alignment));
  return alignment;
}

double AlignmentSamples::chance(const Alignment& alignment) const {
  const auto place = [&](const Positions& positions, std::size_t row) {
    return excess(reference_, 0, positions, row,
                  {});  // relative to the first row, since a field may straddle right ascension 0
  };
  Offset low{0, 0}, high{0, 0};
  for (std::size_t row = 0; row < reference_.x.size(); ++row) {
    const Offset at = place(reference_, row);
    low = {std::min(low.x, at.x), std::min(low.y, at.y)};
    high = {std::max(high.x, at.x), std::max(high.y, at.y)};
  }
  const Positions fitting = undone(other_, alignment);
  std::size_t met = 1, tried = 1;  // 100 failures do not prove it impossible
  for (int k = 0; k < 100; ++k) {
    const double away = 3 + k / 20.0, angle = 2 * std::numbers::pi * std::numbers::phi * k;
    const Alignment off{Change::shift, away * reach_.x * std::cos(angle), away * reach_.y * std::sin(angle)};
    const Positions there = undone(fitting, off);
    met += match_sources(reference_, there, radius_, 1).reference.size();
    for (std::size_t row = 0; row < there.x.size(); ++row) {
      const Offset at = place(there, row);
      tried += low.x <= at.x && at.x <= high.x && low.y <= at.y && at.y <= high.y ? 1 : 0;
    }
  }
  return std::min(1.0, static_cast<double>(met) / static_cast<double>(tried));
}

}  // namespace srcextract
