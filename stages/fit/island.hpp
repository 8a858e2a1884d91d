#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/detect/noise_map.hpp"
#include "stages/fit/gaussian.hpp"

namespace srcextract {

/// A map and its islands. An island is a connected set of pixels above the threshold.
struct FitMap {
  const Image<float, Cpu>& above;  ///< pixel values minus the background level; NaN if masked
  const Runs<Cpu>& runs;
  /// Label of each run (stretch of pixels of a row): the number of its island from 1, or 0 if the run is in no island.
  const Buffer<std::int32_t, Cpu>& label;
  double sigma = 0;  ///< noise of a pixel; if `rms` is not null, a factor by which its values are multiplied
  /// Noise of each pixel before multiplication by `sigma`; null if all pixels have the noise `sigma`.
  const RmsOfPixels* rms = nullptr;
  double threshold = 3;  ///< threshold of islands, in units of the pixel's noise

  const Shape& shape() const { return above.shape; }
  bool holds(std::int64_t x, std::int64_t y) const {
    return x >= 0 && y >= 0 && x < shape().width && y < shape().height;
  }
  bool is_good(std::int64_t x, std::int64_t y) const { return holds(x, y) && !std::isnan(at(x, y)); }
  float at(std::int64_t x, std::int64_t y) const { return above.pixels[y * shape().width + x]; }
  double noise(std::int64_t x, std::int64_t y) const {
    return rms == nullptr ? sigma : sigma * static_cast<double>(rms->at(x, y));
  }
};

/// Pixels in raster order. Values and noise are divided by FitIsland::noise() of their island.
struct FitPixels {
  std::vector<std::int32_t> x, y;
  std::vector<double> value, noise;

  std::size_t size() const { return x.size(); }
  void reserve(std::size_t most) {
    x.reserve(most);
    y.reserve(most);
    value.reserve(most);
  }
  void clear() {
    x.clear();
    y.clear();
    value.clear();
    noise.clear();
  }
};

/// The pixels of an island, row by row. If the island was found in another image, some of its pixels may be masked in
/// this map. Masked pixels are left out, except if all pixels are masked.
class FitIsland {
 public:
  FitIsland(const FitMap& map, std::int32_t number, std::span<const std::int32_t> runs) : map_(map), number_(number) {
    for (const std::int32_t run : runs) add_unmasked(map.runs.runs[run]);
    if (size_ == 0)
      for (const std::int32_t run : runs) add(map.runs.runs[run]);
    find_peak();
  }

  std::int32_t number() const { return number_; }
  std::int64_t size() const { return size_; }
  std::span<const Run> runs() const { return runs_; }
  std::int32_t xmin() const { return xmin_; }
  std::int32_t xmax() const { return xmax_; }
  std::int32_t ymin() const { return runs_.front().y; }
  std::int32_t ymax() const { return runs_.back().y; }
  /// Column and row of the brightest pixel. Of equal pixels, the first in raster order counts.
  std::int32_t xpeak() const { return xpeak_; }
  std::int32_t ypeak() const { return ypeak_; }
  double peak() const { return static_cast<double>(map_.at(xpeak_, ypeak_)); }
  /// The noise of the brightest pixel.
  double noise() const { return noise_; }
  double diagonal() const { return length_of(xmax() - xmin() + 1.0, ymax() - ymin() + 1.0); }
  /// Whether a pixel of the island touches a masked pixel or the edge of the image.
  bool at_edge() const {
    return std::ranges::any_of(runs_, [&](const Run& run) {
      for (std::int64_t y = run.y - 1; y <= run.y + 1; ++y)
        for (std::int64_t x = run.begin - 1; x <= run.end; ++x)
          if (!map_.is_good(x, y)) return true;
      return false;
    });
  }

  /// Calls f(x, y) for every pixel of the island, in raster order.
  template <class F>
  void for_each_pixel(F&& f) const {
    for (const Run& run : runs_)
      for (std::int32_t x = run.begin; x < run.end; ++x) f(x, run.y);
  }

  /// Returns the index of pixel (x, y) among the island's pixels in raster order, or -1 if the pixel is not in the
  /// island.
  std::int64_t place_of(std::int64_t x, std::int64_t y) const {
    const auto row = std::ranges::lower_bound(runs_, y, {}, &Run::y);
    for (auto run = row; run != runs_.end() && run->y == y; ++run)
      if (x >= run->begin && x < run->end)
        return before_[static_cast<std::size_t>(run - runs_.begin())] + (x - run->begin);
    return -1;
  }

  /// Whether the centre of a Gaussian is on a pixel of the island, or on one between pixels of the island.
  bool has_centre(const Gaussian& g) const {
    const std::int64_t x = pixel_at(g.x), y = pixel_at(g.y);
    if (place_of(x, y) >= 0) return true;
    return place_of(x - 1, y) >= 0 && place_of(x + 1, y) >= 0 && place_of(x, y - 1) >= 0 && place_of(x, y + 1) >= 0;
  }
  static std::int64_t pixel_at(double place) { return static_cast<std::int64_t>(std::floor(place + 0.5)); }

  /// Returns column and row of the pixel of the island where the Gaussian is brightest, the first in raster order.
  std::array<double, 2> nearest_pixel(const Gaussian& g) const {
    double nearest = std::numeric_limits<double>::infinity();
    std::array<double, 2> at = {};
    for_each_pixel([&](std::int32_t x, std::int32_t y) {
      const double distance = g.distance(x, y);
      if (!(distance < nearest)) return;
      nearest = distance;
      at = {static_cast<double>(x), static_cast<double>(y)};
    });
    return at;
  }

 private:
  void add(const Run& run) {
    xmin_ = runs_.empty() ? run.begin : std::min(xmin_, run.begin);
    xmax_ = runs_.empty() ? run.end - 1 : std::max(xmax_, run.end - 1);
    before_.push_back(size_);
    runs_.push_back(run);
    size_ += run.end - run.begin;
  }
  void add_unmasked(const Run& run) {
    const auto masked = [&](std::int32_t x) { return std::isnan(map_.at(x, run.y)); };
    for (std::int32_t begin = run.begin, end = begin; begin < run.end; begin = end + 1) {
      for (end = begin; end < run.end && !masked(end);) ++end;
      if (begin < end) add({.y = run.y, .begin = begin, .end = end});
    }
  }
  void find_peak() {
    xpeak_ = runs_.front().begin;
    ypeak_ = runs_.front().y;
    for_each_pixel([&](std::int32_t x, std::int32_t y) {
      if (!(map_.at(x, y) > map_.at(xpeak_, ypeak_))) return;
      xpeak_ = x;
      ypeak_ = y;
    });
    noise_ = map_.noise(xpeak_, ypeak_);
  }

  const FitMap& map_;
  std::int32_t number_;
  std::vector<Run> runs_;
  std::vector<std::int64_t> before_;  ///< per run: number of pixels in earlier runs
  std::int64_t size_ = 0;
  std::int32_t xmin_ = 0, xmax_ = 0, xpeak_ = 0, ypeak_ = 0;
  double noise_ = 0;
};

}  // namespace srcextract
