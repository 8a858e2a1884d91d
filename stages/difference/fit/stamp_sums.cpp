#include "stages/difference/fit/stamp_sums.hpp"

#include <algorithm>
#include <cmath>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/difference/fit/taps.hpp"

namespace srcextract {
namespace {

/// Number of partial sums of which each sum consists (sum_stamps).
constexpr int chains = pixels_together;
/// Products of 4 x 4 pairs of columns are summed at the same time, so that their partial sums stay in registers.
constexpr int block = 4;

/// A pixel gets the weight 0 if the frame to convolve has a bad (masked or saturated) pixel within this distance along
/// both axes.
constexpr int bad_reach = 3;

/// One factor (in x or y) of a basis function, as weights in float. The order is mirrored, for use as a convolution.
/// Negligible values are removed at both ends, the same number at each end.
struct Taps {
  std::vector<float> weights;
  int skipped = 0;  ///< number of values removed at each end

  Taps(const std::vector<double>& factor, double norm) {
    constexpr double nothing = 1e-9;
    double most = 0;
    for (const double value : factor) most = std::max(most, std::fabs(value));
    const auto count = static_cast<int>(factor.size());
    const auto is_nothing = [&](int k) { return std::fabs(factor[static_cast<std::size_t>(k)]) < nothing * most; };
    while (is_nothing(skipped) && is_nothing(count - 1 - skipped)) ++skipped;
    for (int k = count - 1 - skipped; k >= skipped; --k)
      weights.push_back(static_cast<float>(factor[static_cast<std::size_t>(k)] / norm));
  }
};

/// Computes `rows` rows of 16 filtered pixels, with `taps` weights.
template <int rows>
inline __attribute__((always_inline)) void filter_rows(PixelRows pixels, std::ptrdiff_t step, const float* weight,
                                                       int taps, std::ptrdiff_t width, float* __restrict out) {
  for (int row = 0; row < rows; ++row)
    for (int x = 0; x < chains; ++x) out[row * width + x] = 0;
  add_taps<rows>(pixels, step, weight, taps, width, out);
}

/// Computes `height` rows of `width` filtered pixels, with `taps` weights. The filter runs along rows if `step` is 1,
/// and down columns if `step` is the stride.
SRCEXTRACT_VECTOR_CLONES
void filter(PixelRows pixels, std::ptrdiff_t step, const float* weight, int taps, std::ptrdiff_t width, int height,
            float* __restrict out) {
  constexpr int rows = 5;
  for (std::ptrdiff_t x = 0; x < width; x += chains) {
    int y = 0;
    for (; y + rows <= height; y += rows)
      filter_rows<rows>({pixels.first + y * pixels.stride + x, pixels.stride}, step, weight, taps, width,
                        out + y * width + x);
    for (; y < height; ++y)
      filter_rows<1>({pixels.first + y * pixels.stride + x, pixels.stride}, step, weight, taps, width,
                     out + y * width + x);
  }
}

/// Adds `groups` x 16 pixels to the partial sums of the products of each of 4 columns with each of 4 other columns.
template <int groups>
inline __attribute__((always_inline)) void add_products(PixelRows left, PixelRows right, float* __restrict sums) {
  for (int x = 0; x < chains; ++x) {
    float sum[block][block];
    for (int a = 0; a < block; ++a)
      for (int b = 0; b < block; ++b) sum[a][b] = sums[(a * block + b) * chains + x];
#pragma GCC unroll 8
    for (int g = 0; g < groups; ++g) {
      float other[block];
      for (int b = 0; b < block; ++b) other[b] = right.first[b * right.stride + std::ptrdiff_t{g} * chains + x];
#pragma GCC unroll 8
      for (int a = 0; a < block; ++a) {
        const float own = left.first[a * left.stride + std::ptrdiff_t{g} * chains + x];
#pragma GCC unroll 8
        for (int b = 0; b < block; ++b) sum[a][b] = std::fmaf(own, other[b], sum[a][b]);
      }
    }
    for (int a = 0; a < block; ++a)
      for (int b = 0; b < block; ++b) sums[(a * block + b) * chains + x] = sum[a][b];
  }
}

inline double sum_of_chains(const float* sums) {
  double half[chains / 2];
  for (int x = 0; x < chains / 2; ++x)
    half[x] = static_cast<double>(sums[x]) + static_cast<double>(sums[x + chains / 2]);
  for (int width = chains / 4; width > 0; width /= 2)
    for (int x = 0; x < width; ++x) half[x] += half[x + width];
  return half[0];
}

/// Sums the products of all pairs of columns over the pixels. `left` has the columns of `right`, multiplied by the
/// pixels' weights. `products` is a square matrix with `columns` rows; `columns` must be a multiple of `block`. Only
/// the blocks on the diagonal and to its right are set.
SRCEXTRACT_VECTOR_CLONES
void multiply_columns(PixelRows left, PixelRows right, int columns, int pixels, double* __restrict products) {
  constexpr int groups = 5;
  for (int i = 0; i < columns; i += block) {
    for (int j = i; j < columns; j += block) {
      float sums[block * block * chains] = {};
      PixelRows own{left.first + i * left.stride, left.stride}, other{right.first + j * right.stride, right.stride};
      int p = 0;
      for (; p + groups * chains <= pixels; p += groups * chains) {
        add_products<groups>(own, other, sums);
        own.first += std::ptrdiff_t{groups} * chains;
        other.first += std::ptrdiff_t{groups} * chains;
      }
      for (; p < pixels; p += chains) {
        add_products<1>(own, other, sums);
        own.first += chains;
        other.first += chains;
      }
      for (int k = 0; k < block * block; ++k)
        products[(i + k / block) * std::ptrdiff_t{columns} + j + k % block] =
            sum_of_chains(sums + std::ptrdiff_t{k} * chains);
    }
  }
}

SRCEXTRACT_VECTOR_CLONES
void multiply(const float* values, const float* weights, int count, float* __restrict out) {
  for (int i = 0; i < count; ++i) out[i] = values[i] * weights[i];
}

SRCEXTRACT_VECTOR_CLONES
void subtract(const float* other, int count, float* __restrict values) {
  for (int i = 0; i < count; ++i) values[i] -= other[i];
}

int whole(int count, int of) {
  return (count + of - 1) / of * of;
}

/// Computes the StampSums of one stamp (a square of pixels around a star) after another. Memory is kept for the next
/// stamp.
class StampSummer {
 public:
  StampSummer(const FramePair& frames, int half, const KernelBasis& basis)
      : frames_(frames),
        basis_(basis),
        half_(half),
        side_(2 * half + 1),
        width_(whole(side_, chains)),
        wide_(width_ + 2 * basis.half),
        high_(side_ + 2 * basis.half),
        columns_(basis.size() + 2),
        pixels_(width_ * side_),
        window_(static_cast<std::size_t>(wide_ * high_)),
        bad_(window_.size()),
        along_(basis.factors.size() * static_cast<std::size_t>(width_ * high_)),
        weight_(static_cast<std::size_t>(pixels_), 0.0F),
        columns_of_(static_cast<std::size_t>(whole(columns_, block) * pixels_), 0.0F),
        weighed_(columns_of_.size()),
        products_(static_cast<std::size_t>(whole(columns_, block) * whole(columns_, block))) {
    for (const std::vector<double>& factor : basis.factors) along_x_.emplace_back(factor, 1);
    for (const BasisFunction& function : basis.functions)
      along_y_.emplace_back(basis.factors[static_cast<std::size_t>(function.along_y)], function.norm);
  }

  StampSums sum(const Stamp& stamp) {
    read_window(stamp);
    convolve();
    StampSums sums{columns_, read_data(stamp), {}};
    const int rows = whole(columns_, block);
    for (int column = 0; column < columns_; ++column)
      multiply(column_of(column), weight_.data(), pixels_, weighed_.data() + std::ptrdiff_t{column} * pixels_);
    multiply_columns({weighed_.data(), pixels_}, {columns_of_.data(), pixels_}, rows, pixels_, products_.data());
    sums.products.reserve(static_cast<std::size_t>(columns_ * (columns_ + 1) / 2));
    for (int i = 0; i < columns_; ++i) {
      const auto row = products_.begin() + std::ptrdiff_t{i} * rows;
      sums.products.insert(sums.products.end(), row + i, row + columns_);
    }
    return sums;
  }

 private:
  /// Reads all pixels of the frame to convolve that the kernel reaches from the pixels of a stamp, minus the sky. Bad
  /// pixels are filled (filled_at). Pixels beyond the frame's edges are 0.
  void read_window(const Stamp& stamp) {
    const ImageView frame = frames_.from.view();
    const FrameLevel& level = frames_.from.level;
    const std::int64_t left = stamp.x - half_ - basis_.half, top = stamp.y - half_ - basis_.half;
    has_bad_ = false;
    for (int j = 0; j < high_; ++j) {
      for (int i = 0; i < wide_; ++i) {
        const auto pixel = static_cast<std::size_t>(std::int64_t{j} * wide_ + i);
        const bool inside = frame.contains(left + i, top + j);
        const bool bad = inside && level.is_bad(frame.at(left + i, top + j));
        window_[pixel] =
            !inside ? 0 : (bad ? filled_at(frame, level, left + i, top + j) : level.above(frame.at(left + i, top + j)));
        bad_[pixel] = bad ? 1 : 0;
        has_bad_ |= bad;
      }
    }
  }

  /// Whether a bad pixel is within bad_reach of a pixel of the stamp. Near a bad pixel the core of the kernel would
  /// spread the filled value, which is wrong where a star's profile is steep.
  bool is_near_bad(int column, int row) const {
    if (!has_bad_) return false;
    const int x = column + basis_.half, y = row + basis_.half;
    for (int j = y - bad_reach; j <= y + bad_reach; ++j)
      for (int i = x - bad_reach; i <= x + bad_reach; ++i)
        if (bad_[static_cast<std::size_t>(std::int64_t{j} * wide_ + i)] != 0) return true;
    return false;
  }

  /// Whether all pixels under the kernel at (x, y) are in the frame.
  bool is_reached(std::int64_t x, std::int64_t y) const {
    const ImageView frame = frames_.from.view();
    return frame.contains(x - basis_.half, y - basis_.half) && frame.contains(x + basis_.half, y + basis_.half);
  }

  /// Convolves the pixels that read_window() read with every function of the basis.
  void convolve() {
    for (std::size_t f = 0; f < along_x_.size(); ++f) {
      const Taps& taps = along_x_[f];
      filter({window_.data() + taps.skipped, wide_}, 1, taps.weights.data(), static_cast<int>(taps.weights.size()),
             width_, high_, along(f));
    }
    for (int f = 0; f < basis_.size(); ++f) {
      const BasisFunction& function = basis_.functions[static_cast<std::size_t>(f)];
      const Taps& taps = along_y_[static_cast<std::size_t>(f)];
      const float* const first =
          along(static_cast<std::size_t>(function.along_x)) + std::ptrdiff_t{taps.skipped} * width_;
      filter({first, width_}, width_, taps.weights.data(), static_cast<int>(taps.weights.size()), width_, side_,
             column_of(f));
      if (function.has_sum && f > 0) subtract(column_of(0), pixels_, column_of(f));
    }
  }

  /// Reads the pixels of the other frame and computes the weights. Returns the number of pixels with a weight above 0.
  double read_data(const Stamp& stamp) {
    const ImageView from = frames_.from.view(), to = frames_.to.view();
    float *const sky = column_of(columns_ - 2), *const data = column_of(columns_ - 1);
    double used = 0;
    for (int j = 0; j < side_; ++j) {
      for (int i = 0; i < side_; ++i) {
        const std::int64_t x = stamp.x - half_ + i, y = stamp.y - half_ + j;
        const auto p = static_cast<std::size_t>(std::int64_t{j} * width_ + i);
        weight_[p] = sky[p] = data[p] = 0;
        if (!is_reached(x, y) || is_near_bad(i, j)) continue;
        const float a = variance_at(from, frames_.from.level, x, y), b = variance_at(to, frames_.to.level, x, y);
        sky[p] = 1;
        data[p] = frames_.to.level.above(to.at(x, y));
        if (!(a > 0 && b > 0)) continue;
        weight_[p] = 1 / (a + b);
        used += 1;
      }
    }
    return used;
  }

  float* along(std::size_t factor) { return along_.data() + factor * static_cast<std::size_t>(width_ * high_); }
  float* column_of(int column) { return columns_of_.data() + std::ptrdiff_t{column} * pixels_; }

  const FramePair& frames_;
  const KernelBasis& basis_;
  int half_, side_;
  int width_;        ///< width of the stored rows of a stamp; pixels beyond side_ have no weight
  int wide_, high_;  ///< size of the square of pixels that the kernels reach from a stamp
  int columns_, pixels_;
  std::vector<Taps> along_x_, along_y_;
  bool has_bad_ = false;
  std::vector<float> window_;
  std::vector<char> bad_;
  std::vector<float> along_, weight_, columns_of_, weighed_;
  std::vector<double> products_;
};

}  // namespace

std::vector<StampSums> sum_stamps(const FramePair& frames, const std::vector<Stamp>& stamps, int half,
                                  const KernelBasis& basis, const Cpu& where) {
  constexpr std::int64_t stamps_per_piece = 4;
  std::vector<StampSums> sums(stamps.size());
  parallel_for(std::ssize(stamps), stamps_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    StampSummer summer(frames, half, basis);
    for (std::int64_t s = begin; s < end; ++s)
      sums[static_cast<std::size_t>(s)] = summer.sum(stamps[static_cast<std::size_t>(s)]);
  });
  return sums;
}

}  // namespace srcextract
