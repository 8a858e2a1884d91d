#pragma once

#include <cmath>

#include "stages/fold.hpp"
#include "stages/measure.hpp"

namespace srcextract {

/// The extent of a source, known before its pixels are summed.
struct Extent {
  std::int32_t xmin, xmax, ymin, ymax;
};

/// Sums of v, v dx, v dx^2 along a run.
struct RunMoments {
  double v, vx, vxx;
};

SRCEXTRACT_HOST_DEVICE inline void add(RunMoments& to, const RunMoments& from) {
  to.v += from.v;
  to.vx += from.vx;
  to.vxx += from.vxx;
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
SRCEXTRACT_HOST_DEVICE inline RunMoments moments_of(const float* row, std::int64_t x, const Extent& extent,
                                                    double background) {
  const double v = static_cast<double>(row[x]) - background;
  const double dx = static_cast<double>(x - extent.xmin);
  const double vx = v * dx;
  return {v, vx, vx * dx};
}

/// What one run adds to its source.
SRCEXTRACT_HOST_DEVICE inline SourceSums measure_run(const float* image, std::int64_t width, std::int64_t height,
                                                     const Run& run, const Extent& extent, double background,
                                                     bool any_masked) {
  const float* row = image + static_cast<std::int64_t>(run.y) * width;
  SourceSums sums{};
  sums.npix = run.end - run.begin;
  sums.peak = row[run.begin];
  sums.xpeak = run.begin;
  sums.ypeak = run.y;
  sums.xmin = extent.xmin;
  sums.xmax = extent.xmax;
  sums.ymin = extent.ymin;
  sums.ymax = extent.ymax;
  sums.near_masked = any_masked && touches_masked(image, width, height, run) ? 1 : 0;

  const RunMoments moments = fold_groups<RunMoments>(sums.npix, [&](std::int64_t first, std::int64_t last) {
    RunMoments group = moments_of(row, run.begin + first, extent, background);
    for (std::int64_t x = first + 1; x < last; ++x) add(group, moments_of(row, run.begin + x, extent, background));
    return group;
  });
  for (std::int32_t x = run.begin + 1; x < run.end; ++x) {
    if (row[x] > sums.peak) {
      sums.peak = row[x];
      sums.xpeak = x;
    }
  }
  const double dy = run.y - extent.ymin;
  sums.v = moments.v;
  sums.vx = moments.vx;
  sums.vxx = moments.vxx;
  sums.vy = moments.v * dy;
  sums.vyy = sums.vy * dy;
  sums.vxy = moments.vx * dy;
  return sums;
}

}  // namespace srcextract
