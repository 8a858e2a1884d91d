#include "stages/background.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "stages/clip.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t tiles_per_piece = 64;

struct LaneSums {
  alignas(64) double sum[tile_lanes] = {};
  alignas(64) double square[tile_lanes] = {};
};

/// Adds one row of lanes. The three loops, each written for the compiler's vectors, share a row that is in cache.
SRCEXTRACT_VECTOR_CLONES
void add_row(const float* row, int lanes, const Interval& interval, LaneSums& sums, IntervalSums& total) {
  const float lower = interval.lower;
  const float upper = interval.upper;
  const double centre = interval.centre;
  for (int lane = 0; lane < lanes; ++lane) {
    const bool inside = (row[lane] > lower) & (row[lane] < upper);
    const double deviation = inside ? static_cast<double>(row[lane]) - centre : 0.0;
    sums.sum[lane] += deviation;
    sums.square[lane] += deviation * deviation;
  }
  std::int32_t count = 0;
  std::int32_t below = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    count += (row[lane] > lower) & (row[lane] < upper) ? 1 : 0;
    below += row[lane] <= lower ? 1 : 0;
  }
  std::int32_t min_key = total.min_key;
  std::int32_t max_key = total.max_key;
  for (int lane = 0; lane < lanes; ++lane) {
    const std::int32_t inside = (row[lane] > lower) & (row[lane] < upper) ? -1 : 0;
    const std::int32_t key = signed_key(row[lane]) & inside;
    const std::int32_t for_min = key | (~inside & std::numeric_limits<std::int32_t>::max());
    const std::int32_t for_max = key | (~inside & std::numeric_limits<std::int32_t>::min());
    min_key = std::min(min_key, for_min);
    max_key = std::max(max_key, for_max);
  }
  total.count += count;
  total.below += below;
  total.min_key = min_key;
  total.max_key = max_key;
}

/// Sums of one tile, lane by lane as stages/fixed_sum.hpp says.
IntervalSums sum_tile(const float* pixels, int count, const Interval& interval) {
  LaneSums lanes;
  IntervalSums total;
  for (int start = 0; start < count; start += tile_lanes) {
    add_row(pixels + start, std::min(tile_lanes, count - start), interval, lanes, total);
  }
  for (int stride = tile_lanes / 2; stride > 0; stride /= 2) {
    for (int lane = 0; lane < stride; ++lane) {
      lanes.sum[lane] += lanes.sum[lane + stride];
      lanes.square[lane] += lanes.square[lane + stride];
    }
  }
  total.sum = lanes.sum[0];
  total.square = lanes.square[0];
  return total;
}

IntervalSums sum_interval(const Image<float, Cpu>& image, const Interval& interval, const Cpu& where) {
  const std::int64_t count = image.shape.count();
  std::vector<IntervalSums> tiles(static_cast<std::size_t>(tile_count(count)));
  parallel_for(static_cast<std::int64_t>(tiles.size()), tiles_per_piece, where,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t tile = begin; tile < end; ++tile) {
                   const std::int64_t first = tile * tile_pixels;
                   const int pixels = static_cast<int>(std::min<std::int64_t>(tile_pixels, count - first));
                   tiles[static_cast<std::size_t>(tile)] = sum_tile(image.pixels.data() + first, pixels, interval);
                 }
               });
  return sum_tiles(tiles);
}

/// Pixels that are looked at together: once the first windows are counted, most blocks have nothing in the next.
constexpr std::int64_t bin_block = 64;

/// Neighbouring pixels often share a bin: four tables in turn keep one increment from waiting for the last.
using BinTables = std::array<std::array<std::uint32_t, KeyWindow::bin_count>, 4>;

SRCEXTRACT_VECTOR_CLONES
bool any_in_window(const float* pixels, const KeyWindow& window) {
  const KeyWindow w = window;
  std::uint32_t any = 0;
  for (std::int64_t i = 0; i < bin_block; ++i) any |= w.bin(ordered_key(pixels[i])) < KeyWindow::bin_count ? 1 : 0;
  return any != 0;
}

void count_block(const float* pixels, std::int64_t count, const KeyWindow& window, BinTables& tables) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t bin = window.bin(ordered_key(pixels[i]));
    if (bin < KeyWindow::bin_count && pixels[i] == pixels[i]) ++tables[static_cast<std::size_t>(i % 4)][bin];
  }
}

std::vector<std::int64_t> count_bins(const Image<float, Cpu>& image, const KeyWindow& window, const Cpu& where) {
  std::vector<std::int64_t> total(KeyWindow::bin_count);
  std::mutex merge;
  parallel_for(image.shape.count(), tiles_per_piece * tile_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    BinTables tables{};
    for (std::int64_t i = begin; i < end; i += bin_block) {
      const float* block = image.pixels.data() + i;
      const std::int64_t count = std::min(bin_block, end - i);
      if (count < bin_block || any_in_window(block, window)) count_block(block, count, window, tables);
    }
    const std::lock_guard lock(merge);
    for (const auto& table : tables) {
      for (std::size_t bin = 0; bin < total.size(); ++bin) total[bin] += table[bin];
    }
  });
  return total;
}

}  // namespace

Background estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config, const Cpu& where) {
  return clip(config, {[&](const Interval& interval) { return sum_interval(image, interval, where); },
                       [&](const KeyWindow& window) { return count_bins(image, window, where); }});
}

}  // namespace srcextract
