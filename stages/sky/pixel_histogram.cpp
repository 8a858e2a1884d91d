#include "stages/sky/pixel_histogram.hpp"

#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

constexpr int bins = 16;  // of a chunk

/// Sums over a chunk of bins, counted from its first.
inline HistogramSums sums_within(const std::uint32_t* counts) {
  std::uint64_t count = 0, first = 0, second = 0;
  for (std::uint64_t bin = 0; bin < bins; ++bin) {
    const std::uint64_t here = counts[bin];
    count += here;
    first += here * static_cast<std::uint32_t>(bin);
    second += here * static_cast<std::uint32_t>(bin * bin);
  }
  return {static_cast<std::int64_t>(count), static_cast<std::int64_t>(first), static_cast<std::int64_t>(second)};
}

/// The sums over all bins before each chunk, and over all.
SRCEXTRACT_VECTOR_CLONES
void sum_before_chunks(const std::uint32_t* counts, int chunks, HistogramSums* before) {
  HistogramSums sums{};
  for (int chunk = 0; chunk < chunks; ++chunk) {
    before[chunk] = sums;
    const HistogramSums within = sums_within(counts + std::ptrdiff_t{chunk} * bins);
    const std::int64_t first = std::int64_t{chunk} * bins;
    sums.count += within.count;
    sums.first += first * within.count + within.first;
    sums.second += first * (first * within.count + 2 * within.first) + within.second;
  }
  before[chunks] = sums;
}

}  // namespace

void PixelHistogram::sum_chunks() {
  static_assert(chunk_bins == bins);
  sum_before_chunks(counts_.data(), chunks(), before_.data());
}

HistogramSums PixelHistogram::sum_before(int bin) const {
  HistogramSums sums = before_[static_cast<std::size_t>(bin / chunk_bins)];
  for (int i = bin / chunk_bins * chunk_bins; i < bin; ++i) {
    const std::int64_t count = (*this)(i);
    sums.count += count;
    sums.first += count * i;
    sums.second += count * i * i;
  }
  return sums;
}

double PixelHistogram::median(int low, std::int64_t before_low, std::int64_t count) const {
  // The last chunk before which there is less than half, or that of `low`.
  const auto chunk_of_low = before_.begin() + low / chunk_bins;
  const auto beyond =
      std::partition_point(chunk_of_low + 1, before_.begin() + chunks(),
                           [&](const HistogramSums& before) { return 2 * (before.count - before_low) < count; });
  const auto chunk = beyond - 1;
  int bin = std::max(low, static_cast<int>(chunk - before_.begin()) * chunk_bins);
  std::int64_t before = std::max<std::int64_t>(chunk->count - before_low, 0);
  while (2 * (before + (*this)(bin)) < count) before += (*this)(bin++);
  return histogram_median(bin, before, count, *this);
}

HistogramClip PixelHistogram::clip(double kappa) const {
  HistogramClip clip(bins_);
  while (clip.goes_on()) {
    const HistogramSums low = sum_before(clip.low), high = sum_before(clip.high + 1);
    clip.set_sums({high.count - low.count, high.first - low.first, high.second - low.second});
    const std::int64_t kept = high.count - low.count;
    clip.clip(kept > 0 ? median(clip.low, low.count, kept) : 0, kappa, bins_);
  }
  return clip;
}

}  // namespace srcextract
