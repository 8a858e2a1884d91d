#include "stages/convolve/convolve_window.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

/// Sums of products with fused multiply-add (chains), for several rows of weights and the same terms. Row `row`
/// computes sum = fmaf(weights[row * step + k], terms[k][x], sum) for k = 0, 1, 2 ...
struct Chains {
  const float* const* terms;
  const float* weights;
  std::ptrdiff_t step;
};

/// Adds the next `count` products to the sums of `rows` rows; sets the sums first if `begin` is true. `count` is so
/// small that all weights stay in registers.
template <int rows, int count, bool begin>
inline __attribute__((always_inline)) void add_terms(const Chains& chains, std::int64_t n, float* __restrict sums) {
  const auto [terms, weights, step] = chains;
  for (std::int64_t x = 0; x < n; ++x) {
    float sum[rows];
    for (int row = 0; row < rows; ++row) sum[row] = begin ? 0 : sums[row * n + x];
    for (int k = 0; k < count; ++k) {
      for (int row = 0; row < rows; ++row) sum[row] = std::fmaf(weights[row * step + k], terms[k][x], sum[row]);
    }
    for (int row = 0; row < rows; ++row) sums[row * n + x] = sum[row];
  }
}

/// Computes the sums of `rows` rows over all `count` >= 1 terms, for n pixels of each row.
template <int rows>
inline __attribute__((always_inline)) void sum_chains(Chains chains, int count, std::int64_t n,
                                                      float* __restrict sums) {
  constexpr int most = rows == 1 ? 8 : 4;
  bool begun = false;
  const auto add = [&]<int together>() __attribute__((always_inline)) {
    if (begun) {
      add_terms<rows, together, false>(chains, n, sums);
    } else {
      add_terms<rows, together, true>(chains, n, sums);
    }
    begun = true;
    chains.terms += together;
    chains.weights += together;
    count -= together;
  };
  for (int whole = count / most; whole > 0; --whole) add.template operator()<most>();
  if (count >= 4) add.template operator()<4>();
  if (count >= 3) add.template operator()<3>();
  if (count >= 2) add.template operator()<2>();
  if (count >= 1) add.template operator()<1>();
}

SRCEXTRACT_VECTOR_CLONES
void sum_row(const Chains& chains, int count, std::int64_t n, float* sums) {
  sum_chains<1>(chains, count, n, sums);
}
SRCEXTRACT_VECTOR_CLONES
void sum_rows(const Chains& chains, int count, std::int64_t n, float* sums) {
  sum_chains<ConvolutionWindow::rows_at_once>(chains, count, n, sums);
}

SRCEXTRACT_VECTOR_CLONES
void add_row(const float* row, std::int64_t n, float* __restrict sums) {
  for (std::int64_t x = 0; x < n; ++x) sums[x] += row[x];
}

}  // namespace

ConvolutionWindow::ConvolutionWindow(const Kernel& kernel, std::int64_t width)
    : kernel_(kernel),
      width_(width),
      stride_(width + kernel.width - 1),
      rows_(static_cast<std::size_t>(stride_ * kept_rows())),
      row_sums_(static_cast<std::size_t>(width * rows_at_once)),
      under_(static_cast<std::size_t>(kept_rows())),
      shifted_(static_cast<std::size_t>(kernel.width)) {}

void ConvolutionWindow::move_on(const float* terms) {
  float* row = rows_.data() + moves_++ % kept_rows() * stride_;
  if (kernel_.separable()) {
    sum_along_x(terms, kernel_.along_x.data(), 1, row);
  } else {
    std::copy_n(terms, stride_, row);
  }
}

void ConvolutionWindow::sum(int count, float* sums) {
  const std::int64_t first = moves_ - count - kernel_.height + 1;
  const int height = kernel_.height + count - 1;
  const float** const rows = under_.data();
  for (int j = 0; j < height; ++j) rows[j] = rows_.data() + (first + j) % kept_rows() * stride_;
  if (kernel_.separable()) {
    for (int i = 0; i < count; ++i) {
      sum_row({rows + i, kernel_.along_y.data(), 0}, kernel_.height, width_, sums + i * width_);
    }
    return;
  }
  std::fill_n(sums, count * width_, 0.0F);
  for (int j = 0; j < height; ++j) {
    // Row j of the input contributes to row i of the result with row j - i of the kernel, if that exists.
    const int begin = std::max(0, j - kernel_.height + 1);
    const int end = std::min(count, j + 1);
    sum_along_x(rows[j], kernel_.weights.data() + std::ptrdiff_t{j - begin} * kernel_.width, end - begin,
                row_sums_.data());
    add_row(row_sums_.data(), (end - begin) * width_, sums + begin * width_);
  }
}

/// Sums weight * term along x for `count` rows of the kernel. `weights` points to the last of these rows, which the
/// first result uses. Each further result uses the row of the kernel before.
void ConvolutionWindow::sum_along_x(const float* terms, const float* weights, int count, float* sums) {
  const float** const shifted = shifted_.data();
  for (int k = 0; k < kernel_.width; ++k) shifted[k] = terms + k;
  const Chains chains{shifted, weights, -kernel_.width};
  if (count == rows_at_once) return sum_rows(chains, kernel_.width, width_, sums);
  for (int i = 0; i < count; ++i) {
    sum_row({chains.terms, weights + i * chains.step, 0}, kernel_.width, width_, sums + i * width_);
  }
}

}  // namespace srcextract
