#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Two touching runs (stretches of foreground pixels) of neighbouring rows, and the pairs of touching pixels that must
/// be joined in the level tree (level_tree.hpp). A pair is skipped only if other pairs connect the two pixels
/// through pixels that are no lower than the lower pixel of the pair.
struct TouchingRows {
  Run here, above;
  /// `to_here` plus a column is the index of a pixel of `here` in `level`. `to_above` is the same for the run above.
  std::int32_t to_here, to_above;
  const std::uint8_t* level;  ///< level of each pixel

  /// begin() returns the first column of `here` that touches the run above; end() returns the column after the last.
  /// `reach` is 0 if only sides connect pixels, 1 if corners do too (stages/detect/adjacency.hpp).
  SRCEXTRACT_HOST_DEVICE std::int32_t begin(std::int32_t reach) const {
    return here.begin > above.begin - reach ? here.begin : above.begin - reach;
  }
  SRCEXTRACT_HOST_DEVICE std::int32_t end(std::int32_t reach) const {
    return here.end < above.end + reach ? here.end : above.end + reach;
  }

  /// Calls join(pixel, other) for the pixel of `here` in column x and each pixel of the run above to which it must be
  /// joined. The arguments of join are indices in `level`.
  template <class Join>
  SRCEXTRACT_HOST_DEVICE void join(std::int32_t x, std::int32_t reach, const Join& join) const {
    if (reach == 0) {
      join_sides(x, join);
    } else {
      join_corners(x, join);
    }
  }

 private:
  /// Handles pairs that share a side. The pair is skipped if the two pixels to the left of the pair are no lower than
  /// the pair's lower pixel, since these two pixels already connect the pair.
  template <class Join>
  SRCEXTRACT_HOST_DEVICE void join_sides(std::int32_t x, const Join& join) const {
    const std::int32_t pixel = to_here + x, up = to_above + x;
    const bool both_left = x > here.begin && x > above.begin;
    const std::uint8_t lower = level[pixel] < level[up] ? level[pixel] : level[up];
    if (!both_left || level[pixel - 1] < lower || level[up - 1] < lower) join(pixel, up);
  }

  /// Handles pairs that share a side or a corner. A pair is skipped if the pixel to the left or the pixel above touches
  /// both pixels of the pair and is no lower than the pair's lower pixel. Other pixels that touch both are ignored.
  template <class Join>
  SRCEXTRACT_HOST_DEVICE void join_corners(std::int32_t x, const Join& join) const {
    const std::int32_t pixel = to_here + x, up = to_above + x;
    const int own = level[pixel];
    const int left = x > here.begin ? level[pixel - 1] : -1;
    const int over = x >= above.begin && x < above.end ? level[up] : -1;
    if (over >= 0 && left < (own < over ? own : over)) join(pixel, up);
    if (x > above.begin) {
      const int corner = own < level[up - 1] ? own : level[up - 1];
      if (left < corner && over < corner) join(pixel, up - 1);
    }
    if (x + 1 < above.end && over < (own < level[up + 1] ? own : level[up + 1])) join(pixel, up + 1);
  }
};

}  // namespace srcextract
