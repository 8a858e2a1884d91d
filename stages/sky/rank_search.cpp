#include "stages/sky/rank_search.hpp"

#include <algorithm>
#include <utility>

#include "stages/sky/pixel_loops.hpp"

namespace srcextract {

namespace {

/// Maximum number of pixels of a bin that is sorted; a bin with more pixels is divided into bins again.
constexpr std::int64_t few = 8192;

/// Maximum number of pixels that is collected from several bins together.
constexpr std::int64_t most_around = std::int64_t{1} << 18;

/// The interval that contains exactly the pixels of the bins `first` to `last`. Its ends are found by bisection over
/// all floats, since rounding decides which bin a pixel is in. An end may be -0 or +0, which compare equal.
Interval interval_of(int first, int last, const LinearBins& bins, const Extremes& of) {
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
  return {last_before(first), next_above(last_before(last + 1))};
}

}  // namespace

RankSearch::RankSearch(const Interval& interval, std::int64_t below, RankedPixels pixels) : pixels_(std::move(pixels)) {
  push(interval, below);
}

void RankSearch::push(const Interval& interval, std::int64_t below, std::optional<std::int64_t> pixels) {
  const Extremes extremes = pixels_.extremes(interval);
  Level level{extremes, LinearBins(extremes), {below}};
  if (pixels && extremes.smallest == extremes.largest) {
    level.below.resize(LinearBins::count + 1, below + *pixels);  // all pixels are equal and in bin 0
  } else {
    level.below.reserve(LinearBins::count + 1);
    for (const std::int64_t count : pixels_.count(interval, level.bins))
      level.below.push_back(level.below.back() + count);
  }
  levels_.push_back(std::move(level));
}

void RankSearch::sort(int bin, const Level& level) {
  const Interval interval = interval_of(bin, bin, level.bins, level.extremes);
  if (!around_interval_.contains(interval)) {
    const auto first = [&] { return std::max(bin - bins_around_, 0); };
    const auto last = [&] { return std::min(bin + bins_around_, LinearBins::count - 1); };
    while (bins_around_ > 0 && level.count(first(), last()) > most_around) bins_around_ /= 2;
    around_interval_ = interval_of(first(), last(), level.bins, level.extremes);
    around_ = pixels_.collect(around_interval_);
    bins_around_ = std::clamp(2 * bins_around_, 1, LinearBins::count);
  }
  sorted_.clear();
  for_each_chunk(around_, [&](const float* chunk, int count) {
    float inside[chunk_pixels];
    sorted_.insert(sorted_.end(), inside, inside + copy_inside(chunk, count, interval, inside));
  });
  std::sort(sorted_.begin(), sorted_.end());
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
    const auto bin = static_cast<int>(after - level.below.begin() - 1);
    const std::int64_t below = level.below[static_cast<std::size_t>(bin)];
    if (const std::int64_t count = level.count(bin, bin); count > few) {
      if (level.extremes.smallest == level.extremes.largest) return level.extremes.smallest + 0.0F;
      push(interval_of(bin, bin, level.bins, level.extremes), below, count);
      continue;
    }
    sort(bin, level);
    sorted_below_ = below;
  }
  return sorted_[static_cast<std::size_t>(rank - sorted_below_)] + 0.0F;
}

}  // namespace srcextract
