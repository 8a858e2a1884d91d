#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/ordered_key.hpp"

namespace srcextract {

/// The order of the sums over an image, part of the specification: it is what makes them equal to the last bit on any
/// back end and any number of threads. The pixels, in raster order, are cut into tiles of `tile_pixels`. In a tile,
/// lane l adds pixels l, l + tile_lanes, l + 2 tile_lanes, ... in that order, and the lanes are added pairwise:
/// lane l += lane l + stride for stride = tile_lanes / 2, ..., 1. The tiles are added the same way: column c adds
/// tiles c, c + sum_columns, ..., and the columns are added pairwise. A pixel outside the set adds 0.
inline constexpr int tile_pixels = 4096;
inline constexpr int tile_lanes = 512;
inline constexpr int sum_columns = 1024;

/// Sums over the pixels lower < x < upper. A masked pixel is in no interval.
struct Interval {
  float lower;
  float upper;
  double centre;  ///< sums are of deviations from it, so that they do not cancel
};

struct IntervalSums {
  std::int64_t count = 0;
  std::int64_t below = 0;                                           ///< pixels <= lower
  double sum = 0;                                                   ///< of x - centre
  double square = 0;                                                ///< of (x - centre)^2
  std::int32_t min_key = std::numeric_limits<std::int32_t>::max();  ///< signed_key of the extremes
  std::int32_t max_key = std::numeric_limits<std::int32_t>::min();
};

SRCEXTRACT_HOST_DEVICE inline void add(IntervalSums& to, const IntervalSums& from) {
  to.count += from.count;
  to.below += from.below;
  to.sum += from.sum;
  to.square += from.square;
  to.min_key = from.min_key < to.min_key ? from.min_key : to.min_key;
  to.max_key = from.max_key > to.max_key ? from.max_key : to.max_key;
}

inline std::int64_t tile_count(std::int64_t pixels) {
  return (pixels + tile_pixels - 1) / tile_pixels;
}

/// Adds the sums of the tiles in the order above.
inline IntervalSums sum_tiles(const std::vector<IntervalSums>& tiles) {
  std::vector<IntervalSums> columns(sum_columns);
  for (std::size_t i = 0; i < tiles.size(); ++i) add(columns[i % sum_columns], tiles[i]);
  for (std::size_t stride = sum_columns / 2; stride > 0; stride /= 2) {
    for (std::size_t c = 0; c < stride; ++c) add(columns[c], columns[c + stride]);
  }
  return columns[0];
}

}  // namespace srcextract
