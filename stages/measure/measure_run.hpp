#pragma once

#include <cmath>

#include "stages/math/ordered_sum.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {

/// The bounding box of a source's pixels, limits included. The box must be known before the pixels are summed, since
/// the sums are relative to (xmin, ymin).
struct Extent {
  std::int32_t xmin, xmax, ymin, ymax;
};

/// Sums along a run (consecutive pixels of a row).
struct RunSums {
  double v, vx, vxx;  ///< sums of v, v dx, v dx^2
  float peak;
  std::int32_t xpeak;  ///< column of the peak; the first if several pixels are equal
};

SRCEXTRACT_HOST_DEVICE inline void add(RunSums& to, const RunSums& from) {
  to.v += from.v;
  to.vx += from.vx;
  to.vxx += from.vxx;
  const bool higher = from.peak > to.peak;
  to.peak = higher ? from.peak : to.peak;
  to.xpeak = higher ? from.xpeak : to.xpeak;
}

SRCEXTRACT_HOST_DEVICE inline void add(SourceSums& to, const SourceSums& from) {
  to.npix += from.npix;
  to.v += from.v;
  to.vx += from.vx;
  to.vy += from.vy;
  to.vxx += from.vxx;
  to.vyy += from.vyy;
  to.vxy += from.vxy;
  if (from.peak > to.peak) {
    to.peak = from.peak;
    to.xpeak = from.xpeak;
    to.ypeak = from.ypeak;
  }
  to.near_masked |= from.near_masked;
}

/// The pixels in columns x_begin to x_end - 1 of rows y_begin to y_end - 1.
struct PixelBox {
  std::int64_t x_begin, x_end, y_begin, y_end;
};

/// Returns the box of a run's pixels and their 8-neighbours, limited to the image.
SRCEXTRACT_HOST_DEVICE inline PixelBox surroundings(const Run& run, std::int64_t width, std::int64_t height) {
  return {run.begin > 0 ? run.begin - 1 : 0, run.end < width ? run.end + 1 : width,  //
          run.y > 0 ? run.y - 1 : 0, run.y + 1 < height ? run.y + 2 : height};
}

SRCEXTRACT_HOST_DEVICE inline RunSums sums_of(const float* row, std::int32_t x, const Extent& extent,
                                              double background) {
  const double v = static_cast<double>(row[x]) - background;
  const double dx = static_cast<double>(x - extent.xmin);
  const double vx = v * dx;
  return {v, vx, vx * dx, row[x], x};
}

/// Returns the sums over the pixels run.begin + first to run.begin + last - 1, at most `ordered_group` pixels, added
/// from left to right.
SRCEXTRACT_HOST_DEVICE inline RunSums sum_pixels(const float* row, const Run& run, std::int64_t first,
                                                 std::int64_t last, const Extent& extent, double background) {
  const auto end = static_cast<std::int32_t>(run.begin + last);
  auto x = static_cast<std::int32_t>(run.begin + first);
  RunSums sums = sums_of(row, x, extent, background);
  while (++x < end) add(sums, sums_of(row, x, extent, background));
  return sums;
}

/// Completes the sums over a run of npix pixels in row y from the sums along the row. near_masked is 0 in the result;
/// the caller sets it.
SRCEXTRACT_HOST_DEVICE inline SourceSums sums_of_run(const RunSums& along, std::int32_t y, std::int32_t npix,
                                                     const Extent& extent) {
  const double dy = y - extent.ymin;
  SourceSums sums{};
  sums.npix = npix;
  sums.v = along.v;
  sums.vx = along.vx;
  sums.vxx = along.vxx;
  sums.vy = along.v * dy;
  sums.vyy = sums.vy * dy;
  sums.vxy = along.vx * dy;
  sums.peak = along.peak;
  sums.xpeak = along.xpeak;
  sums.ypeak = y;
  sums.xmin = extent.xmin;
  sums.xmax = extent.xmax;
  sums.ymin = extent.ymin;
  sums.ymax = extent.ymax;
  return sums;
}

/// Whether a pixel of a run or one of its 8-neighbours is masked.
inline bool touches_masked(const float* image, std::int64_t width, std::int64_t height, const Run& run) {
  const PixelBox box = surroundings(run, width, height);
  for (std::int64_t y = box.y_begin; y < box.y_end; ++y) {
    for (std::int64_t x = box.x_begin; x < box.x_end; ++x) {
      const float pixel = image[y * width + x];
      if (pixel != pixel) return true;
    }
  }
  return false;
}

/// Returns the sums over one run. Masked neighbours are searched for only if `any_masked` is true.
inline SourceSums measure_run(const float* image, std::int64_t width, std::int64_t height, const Run& run,
                              const Extent& extent, double background, bool any_masked) {
  const float* row = image + static_cast<std::int64_t>(run.y) * width;
  const RunSums along = ordered_sum<RunSums>(run.end - run.begin, [&](std::int64_t first, std::int64_t last) {
    return sum_pixels(row, run, first, last, extent, background);
  });
  SourceSums sums = sums_of_run(along, run.y, run.end - run.begin, extent);
  sums.near_masked = any_masked && touches_masked(image, width, height, run) ? 1 : 0;
  return sums;
}

}  // namespace srcextract
