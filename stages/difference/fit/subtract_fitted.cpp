#include "stages/difference/fit/subtract_fitted.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/stop.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/difference/fit/fit_view.hpp"

namespace srcextract {
namespace {

constexpr int tile_pixels = fitted_tile * fitted_tile;
constexpr std::int64_t rows_prepared_at_once = 64;

using Tile = std::array<float, tile_pixels>;

/// The convolved frame with a margin of half a kernel, and up to a whole number of tiles: light and variance.
struct PaddedFrame {
  Image<float, Cpu> light, variance;
  std::int64_t stride = 0;
};

/// A row above the sky, 0 where it is bad, and where it is good.
SRCEXTRACT_VECTOR_CLONES
void read_row(const float* row, std::int64_t width, FrameLevel level, float* __restrict above, float* __restrict good) {
  for (std::int64_t x = 0; x < width; ++x) {
    above[x] = level.above(row[x]);
    good[x] = level.is_bad(row[x]) ? 0.0F : 1.0F;
  }
}

/// variance_at() of a row, from rows with a column beyond either edge; `sky` has the variances of the sky.
SRCEXTRACT_VECTOR_CLONES
void variances_of_row(const float* own, const float* const* above, const float* const* good, const float* sky,
                      std::int64_t width, FrameLevel level, float* __restrict out) {
  for (std::int64_t x = 0; x < width; ++x) {
    float light = 0;
    float count = 0;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {
        light += above[j][x + i];
        count += good[j][x + i];
      }
    }
    const float mean = count > 0 && light > 0 ? light / count : 0;
    const float variance = sky[x] + mean * level.variance_per_count;
    out[x] = good[1][x + 1] > 0 ? variance : (own[x] >= level.limit ? -INFINITY : -variance);
  }
}

/// Rows above the sky with a column of nothing beyond either edge, for one piece of a frame.
class RowsAround {
 public:
  RowsAround(const ImageView& frame, const FrameLevel& level, std::int64_t begin, std::int64_t end)
      : begin_(begin - 1), stride_(frame.shape.width + 2) {
    const auto size = static_cast<std::size_t>((end - begin + 2) * stride_);
    above_.assign(size, 0);
    good_.assign(size, 0);
    for (std::int64_t y = std::max<std::int64_t>(0, begin - 1); y < std::min(frame.shape.height, end + 1); ++y)
      read_row(frame.pixels + y * frame.shape.width, frame.shape.width, level, above(y) + 1, good(y) + 1);
  }
  float* above(std::int64_t y) { return above_.data() + (y - begin_) * stride_; }
  float* good(std::int64_t y) { return good_.data() + (y - begin_) * stride_; }

 private:
  std::int64_t begin_, stride_;
  std::vector<float> above_, good_;
};

/// Fills `out`, with `stride` and from its first pixel of the frame on, with the variances of a frame. `light`, if it
/// is not null, gets the frame above its sky, filled.
void prepare(const ImageView& frame, const FrameLevel& level, float* variance, float* light, std::int64_t stride,
             const Cpu& where) {
  const std::int64_t width = frame.shape.width;
  parallel_for(frame.shape.height, rows_prepared_at_once, where, [&](std::int64_t begin, std::int64_t end) {
    RowsAround rows(frame, level, begin, end);
    std::vector<float> sky(static_cast<std::size_t>(width), level.variance);
    for (std::int64_t y = begin; y < end; ++y) {
      const float* const above[] = {rows.above(y - 1), rows.above(y), rows.above(y + 1)};
      const float* const good[] = {rows.good(y - 1), rows.good(y), rows.good(y + 1)};
      if (level.map != nullptr)
        for (std::int64_t x = 0; x < width; ++x) sky[static_cast<std::size_t>(x)] = level.sky_variance(y * width + x);
      variances_of_row(frame.pixels + y * width, above, good, sky.data(), width, level, variance + y * stride);
      if (light == nullptr) continue;
      std::copy_n(rows.above(y) + 1, width, light + y * stride);
      for (std::int64_t x = 0; x < width; ++x)
        if (!(rows.good(y)[x + 1] > 0)) light[y * stride + x] = filled_at(frame, level, x, y);
    }
  });
}

/// Gives all pixels around saturated ones an infinite variance: the wings of such a star reach further than a kernel.
void spread_saturation(const Image<float, Cpu>& frame, const FrameLevel& level, int bloom, int half,
                       PaddedFrame& padded) {
  const auto [width, height] = frame.shape;
  for (std::int64_t i = 0; i < frame.shape.count(); ++i) {
    if (!(frame.pixels[i] >= level.limit)) continue;
    const std::int64_t x = i % width, y = i / width;
    const std::int64_t left = std::max<std::int64_t>(0, x - bloom), right = std::min(width - 1, x + bloom);
    for (std::int64_t j = std::max<std::int64_t>(0, y - bloom); j <= std::min(height - 1, y + bloom); ++j)
      std::fill_n(padded.variance.pixels.data() + (j + half) * padded.stride + left + half, right - left + 1,
                  -INFINITY);
  }
}

PaddedFrame pad(const Image<float, Cpu>& frame, const FrameLevel& level, int bloom, int half, const Cpu& where) {
  const Shape shape = padded_shape(frame.shape, half);
  PaddedFrame padded{Image<float, Cpu>(shape, where), Image<float, Cpu>(shape, where), shape.width};
  parallel_for(shape.height, rows_prepared_at_once, where, [&](std::int64_t begin, std::int64_t end) {
    std::fill(padded.light.pixels.begin() + begin * shape.width, padded.light.pixels.begin() + end * shape.width, 0.0F);
    std::fill(padded.variance.pixels.begin() + begin * shape.width, padded.variance.pixels.begin() + end * shape.width,
              level.variance);
  });
  const std::int64_t first = half * shape.width + half;
  prepare({frame.pixels.data(), frame.shape}, level, padded.variance.pixels.data() + first,
          padded.light.pixels.data() + first, shape.width, where);
  spread_saturation(frame, level, bloom, half, padded);
  return padded;
}

/// Continues the chains of a row of a tile by `count` taps.
template <int count>
inline __attribute__((always_inline)) void add_taps(const float* pixels, const float* weight, float* __restrict sums) {
  for (int x = 0; x < fitted_tile; ++x) {
    float sum = sums[x];
#pragma GCC unroll 16
    for (int k = 0; k < count; ++k) sum = std::fmaf(weight[k], pixels[x + k], sum);
    sums[x] = sum;
  }
}

/// The sums of the kernel times the pixels under it, for every pixel of a tile.
SRCEXTRACT_VECTOR_CLONES
void sum_tile(const float* pixels, std::int64_t stride, const float* kernel, int side, float* __restrict sums) {
  for (int i = 0; i < tile_pixels; ++i) sums[i] = 0;
  for (int v = 0; v < side; ++v) {
    int u = 0;
    for (; u + 7 <= side; u += 7)
      for (int row = 0; row < fitted_tile; ++row)
        add_taps<7>(pixels + (row + v) * stride + u, kernel + std::int64_t{v} * side + u,
                    sums + std::int64_t{row} * fitted_tile);
    for (; u < side; ++u)
      for (int row = 0; row < fitted_tile; ++row)
        add_taps<1>(pixels + (row + v) * stride + u, kernel + std::int64_t{v} * side + u,
                    sums + std::int64_t{row} * fitted_tile);
  }
}

/// The kernel's magnitude on bad pixels, whose variance is negative; and the same times the light there. Goes from one
/// bad pixel to the next: in raster order, so every pixel of the tile gets its taps in theirs.
void sum_bad(const float* variance, const float* light, std::int64_t stride, const float* kernel, int side, Tile& sums,
             Tile& lights) {
  sums.fill(0);
  lights.fill(0);
  const int window = side + fitted_tile - 1;
  for (int j = 0; j < window; ++j) {
    for (int i = 0; i < window; ++i) {
      if (!(variance[j * stride + i] < 0)) continue;
      const float brightness = std::fabs(light[j * stride + i]);
      for (int row = std::max(0, j - side + 1); row <= std::min(j, fitted_tile - 1); ++row) {
        for (int x = std::max(0, i - side + 1); x <= std::min(i, fitted_tile - 1); ++x) {
          const float magnitude = std::fabs(kernel[(j - row) * side + i - x]);
          const auto pixel = static_cast<std::size_t>(std::int64_t{row} * fitted_tile + x);
          sums[pixel] += magnitude;
          lights[pixel] += magnitude * brightness;
        }
      }
    }
  }
}

/// Copies what a tile's kernels reach; returns whether a pixel is bad, and makes bad variances positive.
SRCEXTRACT_VECTOR_CLONES
bool copy_magnitudes(const float* variance, std::int64_t stride, int side, float* __restrict out) {
  int bad = 0;
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      out[j * side + i] = std::fabs(variance[j * stride + i]);
      bad |= variance[j * stride + i] < 0 ? 1 : 0;
    }
  }
  return bad != 0;
}

/// weights[f] * function f, added over the functions for every tap.
SRCEXTRACT_VECTOR_CLONES
void add_functions(const double* basis, const double* weights, int functions, int taps, double* __restrict sum) {
  for (int tap = 0; tap < taps; ++tap) sum[tap] = 0;
  for (int f = 0; f < functions; ++f)
    for (int tap = 0; tap < taps; ++tap) sum[tap] += weights[f] * basis[f * taps + tap];
}

/// Sums over the kernel, tile by tile.
class TileSums {
 public:
  TileSums(const FitView& fit, const PaddedFrame& frame)
      : fit_(fit),
        frame_(frame),
        weights_(static_cast<std::size_t>(fit.functions)),
        exact_(static_cast<std::size_t>(fit.taps())),
        kernel_(exact_.size()),
        squares_(exact_.size()),
        window_(static_cast<std::size_t>((fit.side() + fitted_tile - 1) * (fit.side() + fitted_tile - 1))) {}

  /// Sums for the tile that begins at (x, y).
  void sum(std::int64_t x, std::int64_t y) {
    make_kernel(x, y);
    const std::int64_t first = y * frame_.stride + x;
    sum_tile(frame_.light.pixels.data() + first, frame_.stride, kernel_.data(), fit_.side(), light_.data());
    const float* const variance = frame_.variance.pixels.data() + first;
    const int side = fit_.side() + fitted_tile - 1;
    const bool has_bad = copy_magnitudes(variance, frame_.stride, side, window_.data());
    sum_tile(window_.data(), side, squares_.data(), fit_.side(), variance_.data());
    all_ = 0;
    for (const float value : kernel_) all_ += std::fabs(value);
    if (has_bad) {
      sum_bad(variance, frame_.light.pixels.data() + first, frame_.stride, kernel_.data(), fit_.side(), bad_,
              bad_light_);
    } else {
      bad_.fill(0);
      bad_light_.fill(0);
    }
  }

  KernelSums at(int pixel) const {
    const auto i = static_cast<std::size_t>(pixel);
    return {light_[i], variance_[i], bad_[i], bad_light_[i], all_};
  }

 private:
  void make_kernel(std::int64_t x, std::int64_t y) {
    const FieldTerms terms = fit_.terms_of_tile(x, y);
    for (int f = 0; f < fit_.functions; ++f) weights_[static_cast<std::size_t>(f)] = fit_.weight_of(f, terms);
    add_functions(fit_.basis, weights_.data(), fit_.functions, fit_.taps(), exact_.data());
    std::transform(exact_.rbegin(), exact_.rend(), kernel_.begin(), [](double v) { return static_cast<float>(v); });
    std::ranges::transform(kernel_, squares_.begin(), [](float v) { return v * v; });
  }

  const FitView& fit_;
  const PaddedFrame& frame_;
  std::vector<double> weights_, exact_;
  std::vector<float> kernel_, squares_, window_;
  Tile light_, variance_, bad_, bad_light_;
  float all_ = 0;
};

/// The frames of a subtraction, and where its results go.
struct Task {
  const FitView& fit;
  const PaddedFrame& from;
  const float* to;
  const float* to_variance;
  Pixels<Cpu>& out;
};

/// Subtracts a tile; returns how many of its pixels are masked.
std::int64_t subtract_tile(const Task& task, TileSums& sums, std::int64_t left, std::int64_t top) {
  const auto [width, height] = task.out.image.shape;
  sums.sum(left, top);
  std::int64_t masked = 0;
  for (std::int64_t y = top; y < std::min(top + fitted_tile, height); ++y) {
    for (std::int64_t x = left; x < std::min(left + fitted_tile, width); ++x) {
      const std::int64_t i = y * width + x;
      const KernelSums of_pixel = sums.at(static_cast<int>((y - top) * fitted_tile + x - left));
      const FittedPixel pixel = subtract_pixel(task.fit, of_pixel, task.to[i], task.to_variance[i], x, y);
      task.out.image.pixels[i] = pixel.difference;
      task.out.noise.pixels[i] = pixel.noise;
      if (task.fit.convolved_correlation > 0) task.out.variance.pixels[i] = pixel.noise_of_stars;
      masked += pixel.difference == pixel.difference ? 0 : 1;
    }
  }
  return masked;
}

}  // namespace

void subtract_fitted(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const KernelFit& fit,
                     Pixels<Cpu>& out, const Cpu& where, const FrameMaps<Cpu>& maps) {
  const Image<float, Cpu>&from = fit.convolves_new ? fresh : reference, &to = fit.convolves_new ? reference : fresh;
  const Shape shape = fresh.shape;
  const FitView view = view_of(fit, fit.basis.values.data(), fit.coefficients.values.data(), shape);
  const PaddedFrame padded = pad(from, level_from(fit, maps), fit.bloom, fit.basis.half, where);
  Image<float, Cpu> to_variance(shape, where);
  prepare({to.pixels.data(), shape}, level_to(fit, maps), to_variance.pixels.data(), nullptr, shape.width, where);
  out.noise = Image<float, Cpu>(shape, where);
  if (fit.convolved_correlation > 0) out.variance = Image<float, Cpu>(shape, where);
  const Task task{view, padded, to.pixels.data(), to_variance.pixels.data(), out};
  std::atomic<std::int64_t> masked = 0;
  parallel_for(shape.height, fitted_tile, where, [&](std::int64_t begin, std::int64_t) {
    stop_if_asked();
    TileSums sums(view, padded);
    std::int64_t own = 0;
    for (std::int64_t x = 0; x < shape.width; x += fitted_tile) own += subtract_tile(task, sums, x, begin);
    masked += own;
  });
  out.masked = MaskCounts{};
  out.masked->nan = masked;
  out.star = {fit.star.sizes, Buffer<float, Cpu>(fit.star.values.size(), where), fit.star.in_middle};
  std::ranges::copy(fit.star.values, out.star.values.begin());
}

}  // namespace srcextract
