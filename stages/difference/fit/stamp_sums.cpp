#include "stages/difference/fit/stamp_sums.hpp"

#include <algorithm>
#include <cmath>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/math/ordered_sum.hpp"

namespace srcextract {
namespace {

/// Products are summed in tiles of so many rows and columns, which stay in registers.
constexpr int tile_rows = 4, tile_columns = 8;

/// Pixels this near to a bad one of the convolved frame, along both axes, have no weight.
constexpr int bad_reach = 3;

/// out[x] = sum of weight[k] * row[x + k]: a factor of a function, turned round by `weight`.
SRCEXTRACT_VECTOR_CLONES
void filter_along(const double* row, const double* weight, int taps, int count, double* out) {
  for (int x = 0; x < count; ++x) out[x] = 0;
  for (int k = 0; k < taps; ++k)
    for (int x = 0; x < count; ++x) out[x] += weight[k] * row[x + k];
}

SRCEXTRACT_VECTOR_CLONES
void filter_across(const double* first, int stride, const double* weight, int taps, int count, double* out) {
  for (int x = 0; x < count; ++x) out[x] = 0;
  for (int k = 0; k < taps; ++k)
    for (int x = 0; x < count; ++x) out[x] += weight[k] * first[k * stride + x];
}

/// Adds the products of a group of pixels. `column` has `stride` values a pixel.
SRCEXTRACT_VECTOR_CLONES
void add_products(const double* column, const double* weight, int pixels, int columns, int stride, double* products) {
  for (int i = 0; i < columns; i += tile_rows) {
    for (int j = i / tile_columns * tile_columns; j < columns; j += tile_columns) {
      double sum[tile_rows][tile_columns] = {};
      for (int p = 0; p < pixels; ++p) {
        const double* const own = column + std::int64_t{p} * stride;
        for (int a = 0; a < tile_rows; ++a) {
          const double weighed = weight[p] * own[i + a];
          for (int b = 0; b < tile_columns; ++b) sum[a][b] += weighed * own[j + b];
        }
      }
      for (int a = 0; a < tile_rows; ++a)
        for (int b = 0; b < tile_columns; ++b) products[(i + a) * stride + j + b] += sum[a][b];
    }
  }
}

/// Memory and steps for one stamp after the other.
class StampSummer {
 public:
  StampSummer(const FramePair& frames, int half, const KernelBasis& basis)
      : frames_(frames),
        basis_(basis),
        half_(half),
        side_(2 * half + 1),
        wide_(side_ + 2 * basis.half),
        columns_(basis.size() + 2),
        stride_((columns_ + tile_columns - 1) / tile_columns * tile_columns),
        window_(static_cast<std::size_t>(wide_ * wide_)),
        bad_(window_.size()),
        along_(basis.factors.size() * static_cast<std::size_t>(wide_ * side_)),
        row_(static_cast<std::size_t>(side_)),
        column_(static_cast<std::size_t>(side_ * side_ * stride_), 0.0),
        weight_(static_cast<std::size_t>(side_ * side_)),
        products_(static_cast<std::size_t>(stride_ * stride_)) {
    for (const std::vector<double>& factor : basis.factors) turned_.emplace_back(factor.rbegin(), factor.rend());
  }

  StampSums sum(const Stamp& stamp) {
    read_window(stamp);
    convolve();
    StampSums sums{columns_, read_data(stamp), {}};
    add_all();
    for (int i = 0; i < columns_; ++i)
      for (int j = 0; j < columns_; ++j)
        sums.products.push_back(products_[static_cast<std::size_t>(std::int64_t{i} * stride_ + j)]);
    return sums;
  }

 private:
  /// The pixels that the stamp's kernels reach, above the sky and filled; 0 beyond the edges.
  void read_window(const Stamp& stamp) {
    const ImageView frame = frames_.from.view();
    const std::int64_t left = stamp.x - half_ - basis_.half, top = stamp.y - half_ - basis_.half;
    has_bad_ = false;
    for (int j = 0; j < wide_; ++j) {
      for (int i = 0; i < wide_; ++i) {
        const auto pixel = static_cast<std::size_t>(std::int64_t{j} * wide_ + i);
        const bool inside = frame.contains(left + i, top + j);
        window_[pixel] = inside ? static_cast<double>(filled_at(frame, frames_.from.level, left + i, top + j)) : 0;
        bad_[pixel] = inside && frames_.from.level.is_bad(frame.at(left + i, top + j)) ? 1 : 0;
        has_bad_ |= bad_[pixel] != 0;
      }
    }
  }

  /// Whether the core of the kernel spreads a bad pixel here: what takes its place is off where a star is steep.
  bool is_near_bad(int p) const {
    if (!has_bad_) return false;
    const int x = p % side_ + basis_.half, y = p / side_ + basis_.half;
    for (int j = y - bad_reach; j <= y + bad_reach; ++j)
      for (int i = x - bad_reach; i <= x + bad_reach; ++i)
        if (bad_[static_cast<std::size_t>(std::int64_t{j} * wide_ + i)] != 0) return true;
    return false;
  }

  /// Whether all pixels that the kernel reaches from here are in the frame.
  bool is_reached(std::int64_t x, std::int64_t y) const {
    const ImageView frame = frames_.from.view();
    return frame.contains(x - basis_.half, y - basis_.half) && frame.contains(x + basis_.half, y + basis_.half);
  }

  /// The window, convolved with every function of the basis.
  void convolve() {
    const int taps = basis_.width();
    for (std::size_t f = 0; f < turned_.size(); ++f)
      for (int j = 0; j < wide_; ++j)
        filter_along(window_.data() + std::int64_t{j} * wide_, turned_[f].data(), taps, side_,
                     along(f) + std::int64_t{j} * side_);
    for (int f = 0; f < basis_.size(); ++f) {
      const BasisFunction& function = basis_.functions[static_cast<std::size_t>(f)];
      const bool less_first = function.has_sum && f > 0;
      for (int y = 0; y < side_; ++y) {
        filter_across(along(static_cast<std::size_t>(function.along_x)) + std::int64_t{y} * side_, side_,
                      turned_[static_cast<std::size_t>(function.along_y)].data(), taps, side_, row_.data());
        double* const out = column_.data() + std::int64_t{y} * side_ * stride_;
        for (int x = 0; x < side_; ++x)
          out[x * stride_ + f] =
              row_[static_cast<std::size_t>(x)] / function.norm - (less_first ? out[std::int64_t{x} * stride_] : 0);
      }
    }
  }

  /// The other frame, and the weights; returns how many pixels have one.
  double read_data(const Stamp& stamp) {
    const ImageView from = frames_.from.view(), to = frames_.to.view();
    double used = 0;
    for (int p = 0; p < side_ * side_; ++p) {
      const std::int64_t x = stamp.x - half_ + p % side_, y = stamp.y - half_ + p / side_;
      double* const own = column_.data() + std::int64_t{p} * stride_;
      weight_[static_cast<std::size_t>(p)] = own[columns_ - 2] = own[columns_ - 1] = 0;
      if (!is_reached(x, y) || is_near_bad(p)) continue;
      const float a = variance_at(from, frames_.from.level, x, y), b = variance_at(to, frames_.to.level, x, y);
      own[columns_ - 2] = 1;
      own[columns_ - 1] = static_cast<double>(frames_.to.level.above(to.at(x, y)));
      if (!(a > 0 && b > 0)) continue;
      weight_[static_cast<std::size_t>(p)] = 1 / (static_cast<double>(a) + static_cast<double>(b));
      used += 1;
    }
    return used;
  }

  void add_all() {
    std::ranges::fill(products_, 0);
    const int pixels = side_ * side_;
    for (int first = 0; first < pixels; first += ordered_group)
      add_products(column_.data() + std::int64_t{first} * stride_, weight_.data() + first,
                   std::min(ordered_group, pixels - first), columns_, stride_, products_.data());
  }

  double* along(std::size_t factor) { return along_.data() + factor * static_cast<std::size_t>(wide_ * side_); }

  const FramePair& frames_;
  const KernelBasis& basis_;
  int half_, side_, wide_, columns_, stride_;
  std::vector<std::vector<double>> turned_;
  bool has_bad_ = false;
  std::vector<double> window_;
  std::vector<char> bad_;
  std::vector<double> along_, row_, column_, weight_, products_;
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
