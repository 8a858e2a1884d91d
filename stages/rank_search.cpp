#include "stages/rank_search.hpp"

#include <algorithm>
#include <utility>

namespace srcextract {

namespace {

/// Few enough to be sorted at once.
constexpr std::int64_t few = 8192;

/// The pixels of one bin: between the floats next to it on either side, either zero being as good as the other. Found
/// by bisection, since rounding decides.
Interval interval_of(int bin, const LinearBins& bins, const Extremes& of) {
  const auto last_before = [&](int limit) {
    std::int64_t low = signed_key(next_below(of.smallest));
    std::int64_t high = signed_key(of.largest);
    while (low < high) {
      const std::int64_t middle = low + (high - low + 1) / 2;
      if (bins.bin(value_of_signed_key(static_cast<std::int32_t>(middle))) < limit) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return value_of_signed_key(static_cast<std::int32_t>(low));
  };
  return {last_before(bin), next_above(last_before(bin + 1))};
}

}  // namespace

RankSearch::RankSearch(const Interval& interval, std::int64_t below, RankedPixels pixels) : pixels_(std::move(pixels)) {
  push(interval, below);
}

void RankSearch::push(const Interval& interval, std::int64_t below) {
  const Extremes extremes = pixels_.extremes(interval);
  Level level{extremes, LinearBins(extremes), {below}};
  level.below.reserve(LinearBins::count + 1);
  for (const std::int64_t count : pixels_.count(interval, level.bins))
    level.below.push_back(level.below.back() + count);
  levels_.push_back(std::move(level));
}

std::optional<float> RankSearch::value(std::int64_t rank) {
  if (!levels_.front().holds(rank)) return std::nullopt;
  const auto in_sorted = [&] {
    return rank >= sorted_below_ && rank < sorted_below_ + static_cast<std::int64_t>(sorted_.size());
  };
  while (!levels_.back().holds(rank)) levels_.pop_back();
  while (!in_sorted()) {
    const Level& level = levels_.back();
    const auto after = std::upper_bound(level.below.begin(), level.below.end(), rank);
    const auto bin = static_cast<std::size_t>(after - level.below.begin() - 1);
    const Interval interval = interval_of(static_cast<int>(bin), level.bins, level.extremes);
    const std::int64_t below = level.below[bin];
    if (level.below[bin + 1] - below > few) {
      if (level.extremes.smallest == level.extremes.largest) return level.extremes.smallest + 0.0F;
      push(interval, below);
      continue;
    }
    sorted_ = pixels_.collect(interval);
    std::sort(sorted_.begin(), sorted_.end());
    sorted_below_ = below;
  }
  return sorted_[static_cast<std::size_t>(rank - sorted_below_)] + 0.0F;
}

}  // namespace srcextract
