#include "stages/sky/pixel_histogram.hpp"

#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

/// Sums over the bins of each chunk (chunk_bins consecutive bins). The bins of a chunk are numbered from 0.
template <class Sum>
struct Within {
  Sum count[most_chunks], first[most_chunks], second[most_chunks];
};

template <class Sum>
inline __attribute__((always_inline)) void sum_within(const std::uint32_t* counts, int chunks,
                                                      Within<Sum>& __restrict within) {
  for (int chunk = 0; chunk < chunks; ++chunk) {
    Sum count = 0, first = 0, second = 0;
    for (int bin = 0; bin < chunk_bins; ++bin) {
      const Sum here = counts[bin * most_chunks + chunk], times = static_cast<Sum>(bin);
      count += here;
      first += times * here;
      second += times * times * here;
    }
    within.count[chunk] = count;
    within.first[chunk] = first;
    within.second[chunk] = second;
  }
}

SRCEXTRACT_VECTOR_CLONES
void sum_chunks_of(const std::uint32_t* counts, int chunks, Within<std::uint32_t>& __restrict within) {
  sum_within(counts, chunks, within);
}
SRCEXTRACT_VECTOR_CLONES
void sum_chunks_of(const std::uint32_t* counts, int chunks, Within<std::uint64_t>& __restrict within) {
  sum_within(counts, chunks, within);
}

/// Sets before[k] to the sums over all bins before chunk k, and before[chunks] to the sums over all bins.
template <class Sum>
void sum_before_chunks(const std::uint32_t* counts, int chunks, HistogramSums* before) {
  Within<Sum> within;
  sum_chunks_of(counts, chunks, within);
  HistogramSums sums{};
  for (int chunk = 0; chunk < chunks; ++chunk) {
    before[chunk] = sums;
    const std::int64_t begin = std::int64_t{chunk} * chunk_bins;
    const auto count = static_cast<std::int64_t>(within.count[chunk]);
    const auto first = static_cast<std::int64_t>(within.first[chunk]);
    sums.count += count;
    sums.first += begin * count + first;
    sums.second += begin * (begin * count + 2 * first) + static_cast<std::int64_t>(within.second[chunk]);
  }
  before[chunks] = sums;
}

}  // namespace

void PixelHistogram::sum_chunks(std::int64_t pixels) {
  constexpr std::int64_t most_in_32_bits = std::int64_t{1} << 24;  // The sum of squares stays below 2^32, since squared
                                                                   // bin numbers within a chunk are below 2^8.
  if (pixels <= most_in_32_bits) {
    sum_before_chunks<std::uint32_t>(counts_.data(), chunks(), before_.data());
  } else {
    sum_before_chunks<std::uint64_t>(counts_.data(), chunks(), before_.data());
  }
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

MedianBin PixelHistogram::find_middle(int low, std::int64_t before_low, std::int64_t count) const {
  // Finds the last chunk before which less than half of the kept pixels are, starting at the chunk of bin `low`.
  const auto chunk_of_low = before_.begin() + low / chunk_bins;
  const auto beyond =
      std::partition_point(chunk_of_low + 1, before_.begin() + chunks(),
                           [&](const HistogramSums& before) { return 2 * (before.count - before_low) < count; });
  const auto chunk = beyond - 1;
  int bin = std::max(low, static_cast<int>(chunk - before_.begin()) * chunk_bins);
  std::int64_t before = std::max<std::int64_t>(chunk->count - before_low, 0);
  while (2 * (before + (*this)(bin)) < count) before += (*this)(bin++);
  return {bin, before, (*this)(bin), count};
}

HistogramClip PixelHistogram::clip(double kappa) const {
  HistogramClip clip(bins_);
  while (clip.goes_on()) {
    const HistogramSums low = sum_before(clip.low), high = sum_before(clip.high + 1);
    clip.set_sums({high.count - low.count, high.first - low.first, high.second - low.second});
    const std::int64_t kept = high.count - low.count;
    clip.middle = kept > 0 ? find_middle(clip.low, low.count, kept) : MedianBin{};
    clip.clip(kept > 0 ? histogram_median(clip.middle, *this) : 0, kappa, bins_);
  }
  return clip;
}

HistogramClip PixelHistogram::clip(double kappa, BackgroundEstimator estimator) const {
  HistogramClip found = clip(kappa);
  if (!spreads_median(found, estimator)) return found;
  const auto next = [&](int step) {
    int bin = found.middle.bin + step;
    while (bin >= 0 && bin < bins_ && (*this)(bin) == 0) bin += step;
    return bin >= 0 && bin < bins_ ? bin : found.middle.bin;
  };
  found.median = spread_median(found, next(-1), next(1));
  return found;
}

}  // namespace srcextract
