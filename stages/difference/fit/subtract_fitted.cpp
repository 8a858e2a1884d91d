#include "stages/difference/fit/subtract_fitted.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/stop.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/difference/fit/fit_view.hpp"
#include "stages/difference/fit/prepared_rows.hpp"

namespace srcextract {
namespace {

constexpr int tile_pixels = fitted_tile * fitted_tile;
/// Number of rows that are prepared and subtracted together: few enough for the processor's cache, but many compared
/// with the additional rows above and below that the kernel needs.
constexpr std::int64_t rows_at_once = 64;
static_assert(rows_at_once % fitted_tile == 0);

using Tile = std::array<float, tile_pixels>;

/// Adds the products of one row of pixels and rows of the kernel to the sums of the first `active` rows of a tile (a
/// square of pixels that share a kernel). `weight` points to the kernel's values for the first of these rows. Values of
/// one row of the kernel are `side` apart; each next row of sums uses the previous row of the kernel. `rows` is a
/// compile-time constant, so that the sums stay in registers.
template <int rows>
inline __attribute__((always_inline)) void add_pixels(int active, const float* pixels, const float* weight, int side,
                                                      float* __restrict sums) {
  if constexpr (rows > 1)
    if (active < rows) return add_pixels<rows - 1>(active, pixels, weight, side, sums);
  for (int u = 0; u < side; ++u) {
    for (int x = 0; x < fitted_tile; ++x) {
#pragma GCC unroll 16
      for (int row = 0; row < rows; ++row)
        sums[row * fitted_tile + x] = std::fmaf(weight[u * side - row], pixels[u + x], sums[row * fitted_tile + x]);
    }
  }
}

/// Computes the sum of the kernel times the pixels under the kernel, for every pixel of a tile (a square of fitted_tile
/// x fitted_tile pixels). Each sum is a chain of fmaf in raster order of the kernel. Each row of pixels is read once
/// for all sums that use the row. Rows are prefetched two tiles ahead, since hardware prefetchers do not follow so many
/// rows. `columns` is the kernel, column by column.
SRCEXTRACT_VECTOR_CLONES
void sum_tile(const float* pixels, std::int64_t stride, const float* columns, int side, float* __restrict sums) {
  constexpr int rows = 8, next_tiles = 2 * fitted_tile;
  static_assert(fitted_tile % rows == 0);
  for (int i = 0; i < tile_pixels; ++i) sums[i] = 0;
  for (int top = 0; top < fitted_tile; top += rows) {
    for (int y = 0; y < side + rows - 1; ++y) {
      const int first = std::max(0, y - side + 1), end = std::min(y + 1, rows);
      __builtin_prefetch(pixels + (top + y) * stride + side + next_tiles);
      add_pixels<rows>(end - first, pixels + (top + y) * stride, columns + y - first, side,
                       sums + std::ptrdiff_t{top + first} * fitted_tile);
    }
  }
}

/// Computes two sums for every pixel of a tile: the kernel's magnitude on bad pixels (which have negative variance),
/// and this magnitude times hidden_light(). Bad pixels are visited in raster order, so that every sum adds its terms in
/// this order. `columns` is the kernel, column by column.
void sum_bad(const float* variance, const float* light, std::int64_t stride, const float* columns, int side, Tile& sums,
             Tile& lights) {
  sums.fill(0);
  lights.fill(0);
  const int window = side + fitted_tile - 1;
  for (int j = 0; j < window; ++j) {
    for (int i = 0; i < window; ++i) {
      if (!(variance[j * stride + i] < 0)) continue;
      const float brightness = hidden_light(light[j * stride + i], variance[j * stride + i]);
      for (int row = std::max(0, j - side + 1); row <= std::min(j, fitted_tile - 1); ++row) {
        for (int x = std::max(0, i - side + 1); x <= std::min(i, fitted_tile - 1); ++x) {
          const float magnitude = std::fabs(columns[(i - x) * side + j - row]);
          const auto pixel = static_cast<std::size_t>(std::int64_t{row} * fitted_tile + x);
          sums[pixel] += magnitude;
          lights[pixel] += magnitude * brightness;
        }
      }
    }
  }
}

/// Copies the magnitudes of the variances of all pixels under the kernels of a tile. Returns whether any of these
/// pixels is bad.
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

/// Returns the kernels transposed: values are stored column by column.
std::vector<double> by_columns(const std::vector<double>& kernels, const FitView& fit) {
  std::vector<double> result;
  const int side = fit.side();
  for (auto kernel = kernels.begin(); kernel != kernels.end(); kernel += fit.taps())
    for (int u = 0; u < side; ++u)
      for (int v = 0; v < side; ++v) result.push_back(kernel[std::ptrdiff_t{v} * side + u]);
  return result;
}

/// Computes FitView::kernel_value() for all elements of the kernel, in the order of `kernels`. `exact` is memory for
/// the values in double.
SRCEXTRACT_VECTOR_CLONES
void make_kernel(const double* kernels, FieldTerms at, int terms, int taps, double* __restrict exact,
                 float* __restrict kernel) {
  for (int tap = 0; tap < taps; ++tap) exact[tap] = 0;
  for (int k = 0; k < terms; ++k)
    for (int tap = 0; tap < taps; ++tap) exact[tap] += at.value[k] * kernels[k * taps + tap];
  for (int tap = 0; tap < taps; ++tap) kernel[tap] = static_cast<float>(exact[tap]);
}

/// Computes the KernelSums of all pixels of a tile, for one tile after another.
class TileSums {
 public:
  /// `kernels` must be term_kernels() of the fit, column by column.
  TileSums(const FitView& fit, const std::vector<double>& kernels)
      : fit_(fit),
        kernels_(kernels),
        exact_(static_cast<std::size_t>(fit.taps())),
        kernel_(exact_.size()),
        squares_(kernel_.size()),
        window_(static_cast<std::size_t>((fit.side() + fitted_tile - 1) * (fit.side() + fitted_tile - 1))) {}

  /// Computes the sums for all pixels of the tile whose first pixel is (x, y).
  void sum(const PaddedRows& frame, std::int64_t x, std::int64_t y) {
    make_kernel(kernels_.data(), fit_.terms_of_tile(x, y), fit_.terms, fit_.taps(), exact_.data(), kernel_.data());
    square_kernel();
    const float *light = frame.light(y) + x, *variance = frame.variance(y) + x;
    std::int64_t stride = frame.stride();
    const int side = fit_.side() + fitted_tile - 1;
    sum_tile(light, stride, kernel_.data(), fit_.side(), light_.data());
    const bool may_be_bad = frame.has_bad(y, side);
    const bool bad = may_be_bad && copy_magnitudes(variance, stride, side, window_.data());
    const std::int64_t inner = bad ? side : stride, less = fit_.half - fit_.square_half;
    sum_tile((bad ? window_.data() : variance) + less * inner + less, inner, squares_.data(), fit_.square_side(),
             variance_.data());
    all_ = 1;
    if (!bad) return clear_bad();
    all_ = 0;
    for (int tap = 0; tap < fit_.taps(); ++tap)  // in raster order of the kernel, which is stored column by column
      all_ += std::fabs(
          kernel_[static_cast<std::size_t>(std::int64_t{tap % fit_.side()} * fit_.side() + tap / fit_.side())]);
    sum_bad(variance, light, stride, kernel_.data(), fit_.side(), bad_, bad_light_);
    has_bad_ = true;
  }

  /// Pointers to the sums of the pixels of one row of the tile; `all` is KernelSums::all.
  struct Row {
    const float *light, *variance, *bad, *bad_light;
    float all;
  };
  Row row(std::int64_t row) const {
    const std::int64_t first = row * fitted_tile;
    return {light_.data() + first, variance_.data() + first, bad_.data() + first, bad_light_.data() + first, all_};
  }

 private:
  void square_kernel() {
    const int less = fit_.half - fit_.square_half, side = fit_.square_side();
    float* square = squares_.data();
    for (int u = 0; u < side; ++u) {
      const float* const column = kernel_.data() + std::ptrdiff_t{u + less} * fit_.side() + less;
      for (int v = 0; v < side; ++v) *square++ = column[v] * column[v];
    }
  }

  void clear_bad() {
    if (!has_bad_) return;
    bad_.fill(0);
    bad_light_.fill(0);
    has_bad_ = false;
  }

  const FitView& fit_;
  const std::vector<double>& kernels_;
  std::vector<double> exact_;
  /// Kernel and squared kernel, column by column; magnitudes of variances.
  std::vector<float> kernel_, squares_, window_;
  Tile light_{}, variance_{}, bad_{}, bad_light_{};
  bool has_bad_ = false;
  float all_ = 1;
};

/// Subtracts `count` pixels of a row, from column `first` on. `other` has the pixels of the frame that is not
/// convolved, and `variance` their variances. Returns the number of masked pixels.
SRCEXTRACT_VECTOR_CLONES
int subtract_row(const FitView& fit, const FittedRow& row, const TileSums::Row& sums, const float* other,
                 const float* variance, int first, int count, float* __restrict difference, float* __restrict noise,
                 float* __restrict of_stars) {
  const auto [light, sum_of_variance, bad, bad_light, all] = sums;
  int masked = 0;
  for (int x = 0; x < count; ++x) {
    const KernelSums own{light[x], sum_of_variance[x], bad[x], bad_light[x], all};
    const FittedPixel pixel = subtract_pixel(fit, row, own, other[x], variance[x], static_cast<double>(first + x));
    difference[x] = pixel.difference;
    noise[x] = pixel.noise;
    of_stars[x] = pixel.noise_of_stars;
    masked += pixel.difference == pixel.difference ? 0 : 1;
  }
  return masked;
}

/// Input of a subtraction, and the images for its results.
struct Task {
  const FitView& fit;
  const Image<float, Cpu>& to;
  Pixels<Cpu>& out;
  FrameImages frames;
};

/// Stores in task.frames what each frame contributed to `count` subtracted pixels of a row. The first pixel has the
/// index `i` in the image and the column `left`.
void keep_frames(const Task& task, const FittedRow& row, const TileSums::Row& sums, const float* variance,
                 std::int64_t left, std::int64_t i, int count) {
  const auto [light, sum_of_variance, bad, bad_light, all] = sums;
  for (int x = 0; x < count; ++x) {
    const KernelSums own{light[x], sum_of_variance[x], bad[x], bad_light[x], all};
    task.frames.keep(i + x, frames_of_pixel(task.fit, row, own, task.to.pixels[i + x], variance[x],
                                            static_cast<double>(left + x), task.out.image.pixels[i + x]));
  }
}

/// Subtracts the pixels of a tile in the rows [top, end), from column `left` on. `shared` has the FittedRow of each of
/// these rows. `variance` has the variances of the frame that is not convolved, from row `top` on. Returns the number
/// of masked pixels.
std::int64_t subtract_tile(const Task& task, const FittedRow* shared, const float* variance, const TileSums& sums,
                           std::int64_t left, std::int64_t top, std::int64_t end) {
  const std::int64_t width = task.to.shape.width;
  float* const of_stars = task.out.variance.pixels.empty() ? nullptr : task.out.variance.pixels.data();
  float not_kept[fitted_tile];
  std::int64_t masked = 0;
  const auto count = static_cast<int>(std::min<std::int64_t>(fitted_tile, width - left));
  for (std::int64_t row = 0; row < end - top; ++row) {
    const std::int64_t i = (top + row) * width + left;
    const float* const own = variance + row * width + left;
    masked += subtract_row(task.fit, shared[row], sums.row(row), task.to.pixels.data() + i, own, static_cast<int>(left),
                           count, task.out.image.pixels.data() + i, task.out.noise.pixels.data() + i,
                           of_stars == nullptr ? not_kept : of_stars + i);
    if (task.frames.reference != nullptr) keep_frames(task, shared[row], sums.row(row), own, left, i, count);
  }
  return masked;
}

/// Subtracts the rows [begin, end). The order is column by column of tiles, since tiles below each other use the same
/// pixels, which are then still in the processor's cache. `variance` has the variances of the frame that is not
/// convolved. Returns the number of masked pixels.
std::int64_t subtract_rows(const Task& task, const PaddedRows& from, const Image<float, Cpu>& variance, TileSums& sums,
                           std::int64_t begin, std::int64_t end) {
  const std::int64_t width = task.to.shape.width;
  std::vector<FittedRow> shared;
  for (std::int64_t y = begin; y < end; ++y) shared.emplace_back(task.fit, y);
  std::int64_t masked = 0;
  for (std::int64_t left = 0; left < width; left += fitted_tile) {
    for (std::int64_t top = begin; top < end; top += fitted_tile) {
      sums.sum(from, left, top);
      masked += subtract_tile(task, shared.data() + (top - begin), variance.pixels.data() + (top - begin) * width, sums,
                              left, top, std::min(top + fitted_tile, end));
    }
  }
  return masked;
}

}  // namespace

void subtract_fitted(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const KernelFit& fit,
                     Pixels<Cpu>& out, const Cpu& where, const FrameMaps<Cpu>& maps, bool keeps_frames) {
  const Image<float, Cpu>&from = fit.convolves_new ? fresh : reference, &to = fit.convolves_new ? reference : fresh;
  const Shape shape = fresh.shape;
  const std::vector<double> kernels = term_kernels(fit);
  FitView view = view_of(fit, kernels, kernels.data(), shape);
  view.to = level_to(fit, maps);
  const FrameLevel level = level_from(fit, maps);
  out.noise = Image<float, Cpu>(shape, where);
  if (maps.any()) out.variance = Image<float, Cpu>(shape, where);
  StarFrames<Cpu> frames;
  const Task task{view, to, out, keeps_frames ? make_frame_images(shape, frames, where) : FrameImages{}};
  const std::vector<double> columns = by_columns(kernels, view);
  std::atomic<std::int64_t> masked = 0;
  parallel_for(shape.height, rows_at_once, where, [&](std::int64_t begin, std::int64_t end) {
    PaddedRows padded(from, level, fit, rows_at_once, where);
    padded.read(begin, rows_at_once);
    Image<float, Cpu> variance({shape.width, end - begin}, where);
    RowsAround around({to.pixels.data(), shape}, view.to, begin);
    for (std::int64_t y = begin; y < end; ++y) around.variances(y, variance.pixels.data() + (y - begin) * shape.width);
    TileSums sums(view, columns);
    stop_if_asked();
    masked += subtract_rows(task, padded, variance, sums, begin, end);
  });
  out.masked = MaskCounts{};
  out.masked->nan = masked;
  out.star = {};
  if (fit.star.empty()) return;
  out.star = {fit.star.sizes, Buffer<float, Cpu>(fit.star.values.size(), where), fit.star.in_middle, std::move(frames)};
  std::ranges::copy(fit.star.values, out.star.values.begin());
}

}  // namespace srcextract
