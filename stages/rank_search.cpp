#include "stages/rank_search.hpp"

#include <algorithm>
#include <utility>

namespace srcextract {

RankSearch::RankSearch(CountBins count_bins) : count_bins_(std::move(count_bins)) {
  push({0, 32 - KeyWindow::bin_bits}, 0);
  count_ = levels_.front().below.back();
}

void RankSearch::push(const KeyWindow& window, std::int64_t below) {
  const std::vector<std::int64_t> counts = count_bins_(window);
  Level level{window, {below}};
  level.below.reserve(counts.size() + 1);
  for (const std::int64_t count : counts) level.below.push_back(level.below.back() + count);
  levels_.push_back(std::move(level));
}

std::int64_t RankSearch::zeros() const {
  const Level& all = levels_.front();
  const std::uint32_t bin = all.window.bin(ordered_key(0.0F));
  return all.below[bin + 1] - all.below[bin];
}

float RankSearch::value(std::int64_t rank) {
  while (rank < levels_.back().below.front() || rank >= levels_.back().below.back()) levels_.pop_back();
  for (;;) {
    const Level& level = levels_.back();
    const auto after = std::upper_bound(level.below.begin(), level.below.end(), rank);
    const auto bin = static_cast<std::uint32_t>(after - level.below.begin() - 1);
    const std::uint32_t first = level.window.first + (bin << level.window.shift);
    if (level.window.shift == 0) return value_of_ordered_key(first);
    push({first, std::max(0, level.window.shift - KeyWindow::bin_bits)}, level.below[bin]);
  }
}

double RankSearch::median(std::int64_t below, std::int64_t count) {
  const double upper = value(below + count / 2);
  if (count % 2 == 1) return upper;
  return (value(below + count / 2 - 1) + upper) / 2;
}

}  // namespace srcextract
