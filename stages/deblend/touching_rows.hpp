#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Two runs of neighbouring rows that touch, and the pairs of their pixels to be joined. A pair is skipped if other
/// pairs join it through pixels of at least the same level.
struct TouchingRows {
  Run here, above;
  std::int32_t to_here, to_above;  ///< number to add to a column for the pixel's number
  const std::uint8_t* level;       ///< per pixel

  /// The first column of `here` that touches the run above, and the end of such columns. `reach` is as in
  /// stages/detect/adjacency.hpp.
  SRCEXTRACT_HOST_DEVICE std::int32_t begin(std::int32_t reach) const {
    return here.begin > above.begin - reach ? here.begin : above.begin - reach;
  }
  SRCEXTRACT_HOST_DEVICE std::int32_t end(std::int32_t reach) const {
    return here.end < above.end + reach ? here.end : above.end + reach;
  }

  /// Calls join(pixel, other) for pixel x of `here`, with each pixel `other` of the run above to which it must be
  /// joined.
  template <class Join>
  SRCEXTRACT_HOST_DEVICE void join(std::int32_t x, std::int32_t reach, const Join& join) const {
    if (reach == 0) {
      join_sides(x, join);
    } else {
      join_corners(x, join);
    }
  }

 private:
  /// Joins pixels that share a side. The pair is skipped if the pixels to the left of both are no lower, since these
  /// already join it.
  template <class Join>
  SRCEXTRACT_HOST_DEVICE void join_sides(std::int32_t x, const Join& join) const {
    const std::int32_t pixel = to_here + x, up = to_above + x;
    const bool both_left = x > here.begin && x > above.begin;
    const std::uint8_t lower = level[pixel] < level[up] ? level[pixel] : level[up];
    if (!both_left || level[pixel - 1] < lower || level[up - 1] < lower) join(pixel, up);
  }

  /// Joins pixels that share a side or a corner. A pair is skipped if some pixel that touches both of its pixels is no
  /// lower: the one to the left, or the one above.
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
