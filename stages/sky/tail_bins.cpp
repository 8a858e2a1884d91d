#include "stages/sky/tail_bins.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "stages/core/vector_clones.hpp"
#include "stages/sky/pixel_loops.hpp"

namespace srcextract {

namespace {

void add_sums_to(SumsBefore& to, const SumsBefore& from) {
  to.count += from.count;
  to.first.add(from.first);
  to.second.add(from.second);
}

/// Counts and sums pixels, all of which must be of class 0 (SumGrid).
SumsBefore sums_of(std::span<const float> pixels, const SumGrid& grid) {
  const RoundingConstants round(grid.scale);
  const auto round_first = std::bit_cast<std::uint64_t>(round.first);
  const auto round_second = std::bit_cast<std::uint64_t>(round.second);
  SumsBefore sums;
  sums.count = std::ssize(pixels);
  for_each_chunk(pixels, [&](const float* chunk, int count) {
    std::uint64_t first = 0, second = 0;  // sums of bit patterns, which wrap around; the subtraction below wraps them
                                          // back
    for (int i = 0; i < count; ++i) {
      const double deviation = grid.deviation(chunk[i]);
      first += std::bit_cast<std::uint64_t>(deviation + round.first);
      second += std::bit_cast<std::uint64_t>(deviation * deviation + round.second);
    }
    const auto added = static_cast<std::uint64_t>(count);
    sums.first.add(static_cast<std::int64_t>(first - added * round_first));
    sums.second.add(static_cast<std::int64_t>(second - added * round_second));
  });
  return sums;
}

SRCEXTRACT_VECTOR_CLONES
void find_tail_bins(const float* pixels, std::int64_t count, Interval of, double first, double per_unit,
                    std::uint16_t* __restrict out) {
  for (std::int64_t i = 0; i < count; ++i) {
    float inside = pixels[i] > of.lower ? pixels[i] : of.lower;
    inside = inside < of.upper ? inside : of.upper;
    const double at = (inside - first) * per_unit;  // NaN if the interval has no width; the value is then not used
    const auto bin = static_cast<std::int32_t>(at < TailBins::inner - 1 ? at : TailBins::inner - 1);
    const std::int32_t inner = 1 + bin;
    const std::int32_t from_above = pixels[i] >= of.upper ? TailBins::count - 1 : inner;
    out[i] = static_cast<std::uint16_t>(pixels[i] <= of.lower ? 0 : from_above);
  }
}

}  // namespace

void TailBins::find(std::span<const float> pixels, std::uint16_t* bins) const {
  find_tail_bins(pixels.data(), std::ssize(pixels), of_, first_, per_unit_, bins);
}

int TailBins::bin(float x) const {
  std::uint16_t bin = 0;
  find({&x, 1}, &bin);
  return bin;
}

BinnedPixels bin_pixels(std::span<float> pixels, const TailBins& bins, const SumGrid& grid, BinSums& sums) {
  const std::vector<float> from(pixels.begin(), pixels.end());
  std::vector<std::uint16_t> bin_of(from.size());
  bins.find(from, bin_of.data());
  BinnedPixels binned{{}, pixels};
  for (const std::uint16_t bin : bin_of) ++binned.begin[bin + std::size_t{1}];
  std::inclusive_scan(binned.begin.begin(), binned.begin.end(), binned.begin.begin());
  auto next = binned.begin;
  for (std::size_t i = 0; i < from.size(); ++i) pixels[next[bin_of[i]]++] = from[i];

  for (int bin = 0; bin < TailBins::count; ++bin) {
    const std::span<const float> of_bin = binned.of(bin);
    SumsBefore& to = sums[static_cast<std::size_t>(bin) + 1];
    if (bin > 0 && bin <= TailBins::inner) {
      add_sums_to(to, sums_of(of_bin, grid));
    } else {
      to.count += std::ssize(of_bin);
    }
  }
  return binned;
}

void BinnedTail::add(const BinSums& sums) {
  for (std::size_t bin = 0; bin < sums.size(); ++bin) add_sums_to(sums_[bin], sums[bin]);
}

void BinnedTail::run_sums() {
  for (std::size_t bin = 1; bin < sums_.size(); ++bin) add_sums_to(sums_[bin], sums_[bin - 1]);
}

std::span<const float> BinnedTail::pixels_of(int bin) {
  for (const Gathered& gathered : gathered_) {
    if (gathered.bin == bin) return gathered.pixels;
  }
  Gathered& to = gathered_[oldest_];
  oldest_ = 1 - oldest_;
  to.bin = bin;
  to.pixels.clear();
  for (const BinnedPixels& piece : pieces_) {
    const std::span<const float> of_piece = piece.of(bin);
    to.pixels.insert(to.pixels.end(), of_piece.begin(), of_piece.end());
  }
  return to.pixels;
}

Extremes BinnedTail::extremes(const Interval& interval) {
  const int lower = bins_.bin(interval.lower);
  const int upper = bins_.bin(interval.upper);
  Extremes found;
  // Extends `found` by the bin's pixels in the interval. Returns whether `found` changed.
  const auto widen_by = [&](int bin) {
    const auto i = static_cast<std::size_t>(bin);
    if (sums_[i + 1].count == sums_[i].count) return false;
    const Extremes before = found;
    for_each_chunk(pixels_of(bin), [&](const float* chunk, int count) { widen(chunk, count, interval, found); });
    return found.smallest < before.smallest || found.largest > before.largest;
  };
  int bin = lower;
  while (bin <= upper && !widen_by(bin)) ++bin;
  if (bin > upper) return found;
  const Extremes least = found;
  for (int last = upper; last > bin && !widen_by(last); --last) {
  }
  return {least.smallest, found.largest};
}

PixelSums BinnedTail::sum(const Interval& interval) {
  // In ascending order of values: pixels below, the bin of the lower end, bins wholly inside, the bin of the upper end,
  // pixels above.
  const int lower = bins_.bin(interval.lower);
  const int upper = bins_.bin(interval.upper);
  PixelSums sums = core_;
  const auto first = static_cast<std::size_t>(lower) + 1;
  const auto last = std::max(static_cast<std::size_t>(upper), first);
  sums.count += sums_[last].count - sums_[first].count;
  sums.first[0].low += sums_[last].first.low - sums_[first].first.low;
  sums.first[0].high += sums_[last].first.high - sums_[first].first.high;
  sums.second[0].low += sums_[last].second.low - sums_[first].second.low;
  sums.second[0].high += sums_[last].second.high - sums_[first].second.high;
  sums.below = below_ + sums_[lower == 0 ? 1 : static_cast<std::size_t>(lower)].count;
  const auto add_bin = [&](int bin) {
    for_each_chunk(pixels_of(bin),
                   [&](const float* chunk, int count) { add_inside(chunk, count, interval, grid_, near_, sums); });
  };
  if (lower > 0) add_bin(lower);
  if (upper != lower && upper <= TailBins::inner) add_bin(upper);
  return sums;
}

}  // namespace srcextract
