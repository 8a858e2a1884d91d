#pragma once

#include <cmath>

#include "stages/fold.hpp"
#include "stages/measure.hpp"

namespace srcextract {

/// The extent of a source, known before its pixels are summed.
struct Extent {
  std::int32_t xmin, xmax, ymin, ymax;
};

/// What is gathered along a run.
struct RunSums {
  double v, vx, vxx;  ///< sums of v, v dx, v dx^2
  float peak;
  std::int32_t xpeak;  ///< the first of equals
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

/// Whether a masked pixel is among the neighbours of a run.
SRCEXTRACT_HOST_DEVICE inline bool touches_masked(const float* image, std::int64_t width, std::int64_t height,
                                                  const Run& run) {
  const std::int64_t x_begin = run.begin > 0 ? run.begin - 1 : 0;
  const std::int64_t x_end = run.end < width ? run.end + 1 : width;
  const std::int64_t y_begin = run.y > 0 ? run.y - 1 : 0;
  const std::int64_t y_end = run.y + 1 < height ? run.y + 2 : height;
  for (std::int64_t y = y_begin; y < y_end; ++y) {
    for (std::int64_t x = x_begin; x < x_end; ++x) {
      const float pixel = image[y * width + x];
      if (pixel != pixel) return true;
    }
  }
  return false;
}

/// What one pixel adds to its run.
SRCEXTRACT_HOST_DEVICE inline RunSums sums_of(const float* row, std::int32_t x, const Extent& extent,
                                              double background) {
  const double v = static_cast<double>(row[x]) - background;
  const double dx = static_cast<double>(x - extent.xmin);
  const double vx = v * dx;
  return {v, vx, vx * dx, row[x], x};
}

/// What one run adds to its source.
SRCEXTRACT_HOST_DEVICE inline SourceSums measure_run(const float* image, std::int64_t width, std::int64_t height,
                                                     const Run& run, const Extent& extent, double background,
                                                     bool any_masked) {
  const float* row = image + static_cast<std::int64_t>(run.y) * width;
  const RunSums along = fold_groups<RunSums>(run.end - run.begin, [&](std::int64_t first, std::int64_t last) {
    const auto end = static_cast<std::int32_t>(run.begin + last);
    auto x = static_cast<std::int32_t>(run.begin + first);
    RunSums group = sums_of(row, x, extent, background);
    while (++x < end) add(group, sums_of(row, x, extent, background));
    return group;
  });
  const double dy = run.y - extent.ymin;
  SourceSums sums{};
  sums.npix = run.end - run.begin;
  sums.v = along.v;
  sums.vx = along.vx;
  sums.vxx = along.vxx;
  sums.vy = along.v * dy;
  sums.vyy = sums.vy * dy;
  sums.vxy = along.vx * dy;
  sums.peak = along.peak;
  sums.xpeak = along.xpeak;
  sums.ypeak = run.y;
  sums.xmin = extent.xmin;
  sums.xmax = extent.xmax;
  sums.ymin = extent.ymin;
  sums.ymax = extent.ymax;
  sums.near_masked = any_masked && touches_masked(image, width, height, run) ? 1 : 0;
  return sums;
}

}  // namespace srcextract
