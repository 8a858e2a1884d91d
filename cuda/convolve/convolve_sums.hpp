#pragma once

#include <cuda_runtime.h>

#include "cuda/device/warp.hpp"
#include "stages/math/kernel_values.hpp"

namespace srcextract {

// Classes that sum the pixels under a kernel, multiplied by its weights, while a warp processes the image row by row
// from top to bottom (convolve_march.hpp). Each input row is passed to advance(), which returns the sums of the output
// row that this input row completes. Each lane computes lane_pixels consecutive sums. An input row is in shared memory
// as floats, and begins with the first column under the kernel of lane 0's first pixel. The kernel's weights are launch
// parameters: if the kernel's size is known at compile time, each multiply-add reads its weight as an operand from
// constant memory.

/// Number of consecutive pixels whose sums a lane computes.
inline constexpr int lane_pixels = 4;

/// The kernel rows `first` to `last`: when the kernel is centred on any output row of the strip, the current input row
/// lies under one of these rows.
struct ActiveRows {
  int first, last;
};

/// Reads four columns of `row`, from column 4 * index on, counted from the first column that the lane needs. Converts
/// the pixels by `term`.
template <class Term>
__device__ void read_quad(const float* row, int index, const Term& term, float* terms) {
  const float4 pixels = reinterpret_cast<const float4*>(row)[lane() + index];
  terms[0] = term(pixels.x), terms[1] = term(pixels.y), terms[2] = term(pixels.z), terms[3] = term(pixels.w);
}

/// The converted pixels of an input row that are under the kernel for any of a lane's pixels; the kernel has `side`
/// columns.
template <int side>
struct LaneWindow {
  static constexpr int quads = (lane_pixels + side - 1 + 3) / 4;

  template <class Term>
  __device__ LaneWindow(const float* row, const Term& term) {
#pragma unroll
    for (int q = 0; q < quads; ++q) read_quad(row, q, term, d + 4 * q);
  }

  float d[4 * quads];
};

template <bool magnitudes>
__device__ float weight_of(float weight) {
  return magnitudes ? fabsf(weight) : weight;
}

/// Sums for square kernels with `side` rows and columns.
///
/// partial_[k] is the sum over kernel rows 0 to k, for the output row whose kernel has covered k + 1 input rows so far.
/// The next input row is under row k + 1 of that kernel. So partial_[k] plus the sum along kernel row k + 1 becomes the
/// new partial_[k + 1]. k runs downwards, so that every old value is read before it is replaced. Every input row is
/// read once, and no partial sum is moved.
template <int side>
class KernelSum {
 public:
  struct Weights {
    static constexpr int width = side, height = side;
    float weight[side * side];
  };
  static constexpr int most_width = side;
  /// warps per block; blocks that a multiprocessor should run at the same time
  static constexpr int warps = 4, blocks = 4;
  static constexpr int rows_under_way = 4;  ///< number of rows in shared memory or being copied there; a power of two
  static std::size_t extra_memory(const Weights&) { return 0; }

  __device__ KernelSum(const Weights&, float*) {}

  template <bool magnitudes, class Term>
  __device__ void advance(const Weights& weights, const float* row, ActiveRows active, const Term& term,
                          float (&sum)[lane_pixels]) {
    const LaneWindow<side> window(row, term);
#pragma unroll
    for (int k = side - 1; k >= 0; --k) {
      if (k < active.first || k > active.last) continue;
      float along_row[lane_pixels] = {};
#pragma unroll
      for (int i = 0; i < side; ++i) {
        const float weight = weight_of<magnitudes>(weights.weight[k * side + i]);
#pragma unroll
        for (int p = 0; p < lane_pixels; ++p) along_row[p] = fmaf(weight, window.d[i + p], along_row[p]);
      }
      float* const next = k + 1 < side ? partial_[k] : sum;
#pragma unroll
      for (int p = 0; p < lane_pixels; ++p) next[p] = (k > 0 ? partial_[k - 1][p] : 0.0F) + along_row[p];
    }
  }

 private:
  float partial_[side][lane_pixels];  // element k is written before it is read, since k = 0 reads none
};

/// Sums for separable square kernels: first along the input row, then along columns, with partial sums as in KernelSum.
/// Also computes partial sums for output rows outside the strip, since these sums cost less than a test for such rows.
template <int side>
class SeparableSum {
 public:
  struct Weights {
    static constexpr int width = side, height = side;
    float along_x[side], along_y[side];
  };
  static constexpr int most_width = side;
  static constexpr int warps = 4, blocks = 4;
  static constexpr int rows_under_way = 8;
  static std::size_t extra_memory(const Weights&) { return 0; }

  __device__ SeparableSum(const Weights&, float*) {}

  template <bool magnitudes, class Term>
  __device__ void advance(const Weights& weights, const float* row, ActiveRows, const Term& term,
                          float (&sum)[lane_pixels]) {
    const LaneWindow<side> window(row, term);
    float along_row[lane_pixels] = {};
#pragma unroll
    for (int i = 0; i < side; ++i) {
      const float weight = weight_of<magnitudes>(weights.along_x[i]);
#pragma unroll
      for (int p = 0; p < lane_pixels; ++p) along_row[p] = fmaf(weight, window.d[i + p], along_row[p]);
    }
#pragma unroll
    for (int k = side - 1; k >= 0; --k) {
      const float weight = weight_of<magnitudes>(weights.along_y[k]);
      float* const next = k + 1 < side ? partial_[k] : sum;
#pragma unroll
      for (int p = 0; p < lane_pixels; ++p) next[p] = fmaf(weight, along_row[p], k > 0 ? partial_[k - 1][p] : 0.0F);
    }
  }

 private:
  float partial_[side][lane_pixels] = {};
};

/// Computes, for each of `rows` kernel rows, the sum along one input row. `weights` points to the first of these kernel
/// rows; each kernel row has `width` weights.
template <bool magnitudes, int rows, class Term>
__device__ void sum_along_row(const float* weights, int width, const float* row, const Term& term,
                              float (&sum)[rows][lane_pixels]) {
  float d[2 * lane_pixels];
  read_quad(row, 0, term, d);
  const auto add = [&](int i, int tap) {
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      const float weight = weight_of<magnitudes>(weights[k * width + i + tap]);
#pragma unroll
      for (int p = 0; p < lane_pixels; ++p) sum[k][p] = fmaf(weight, d[tap + p], sum[k][p]);
    }
  };
  int i = 0;
  for (; i + 4 <= width; i += 4) {
    read_quad(row, i / 4 + 1, term, d + 4);
#pragma unroll
    for (int tap = 0; tap < 4; ++tap) add(i, tap);
#pragma unroll
    for (int p = 0; p < 4; ++p) d[p] = d[4 + p];
  }
  add(i, 0);  // `width` is odd, so 1 or 3 columns are left
  if (i + 3 > width) return;
  read_quad(row, i / 4 + 1, term, d + 4);
  add(i, 1);
  add(i, 2);
}

/// Sums for kernels of any size. Partial sums are in a ring buffer in shared memory, one entry for each output row in
/// progress. Four kernel rows are processed for each read of an input row.
class AnyKernelSum {
 public:
  struct Weights {
    int width, height;
    float weight[most_kernel_size * most_kernel_size] = {};
  };
  static constexpr int most_width = most_kernel_size;
  static constexpr int warps = 1, blocks = 16;
  static constexpr int rows_under_way = 4;
  static std::size_t extra_memory(const Weights& weights) {
    return sizeof(float4) * warp_size * static_cast<std::size_t>(weights.height);
  }

  __device__ AnyKernelSum(const Weights&, float* memory) : partial_(reinterpret_cast<float4*>(memory) + lane()) {}

  template <bool magnitudes, class Term>
  __device__ void advance(const Weights& weights, const float* row, ActiveRows active, const Term& term,
                          float (&sum)[lane_pixels]) {
    int k = active.last;
    for (; k - 3 >= active.first; k -= 4) add_rows<magnitudes, 4>(weights, row, term, k - 3, sum);
    for (; k >= active.first; --k) add_rows<magnitudes, 1>(weights, row, term, k, sum);
    newest_ = newest_ + 1 < weights.height ? newest_ + 1 : 0;
  }

 private:
  /// Adds the sums along the input row, multiplied by kernel rows `first` to first + rows - 1, to the partial sums of
  /// the output rows. For each of these kernel rows there is one output row whose kernel covers the input row with it.
  template <bool magnitudes, int rows, class Term>
  __device__ void add_rows(const Weights& weights, const float* row, const Term& term, int first,
                           float (&sum)[lane_pixels]) {
    float along_row[rows][lane_pixels] = {};
    sum_along_row<magnitudes>(weights.weight + first * weights.width, weights.width, row, term, along_row);
#pragma unroll
    for (int k = 0; k < rows; ++k) {
      const int before = newest_ - first - k;
      float4& slot = partial_[warp_size * (before < 0 ? before + weights.height : before)];
      const float4 partial = first + k > 0 ? slot : float4{};
      const float4 total = {partial.x + along_row[k][0], partial.y + along_row[k][1], partial.z + along_row[k][2],
                            partial.w + along_row[k][3]};
      slot = total;
      if (first + k + 1 == weights.height) sum[0] = total.x, sum[1] = total.y, sum[2] = total.z, sum[3] = total.w;
    }
  }

  float4* partial_;
  int newest_ = 0;  // index in the ring buffer of the output row that was begun last
};

/// Sums for separable kernels of any size. The sums along the last `height` input rows are kept in a ring buffer in
/// shared memory.
class AnySeparableSum {
 public:
  struct Weights {
    int width, height;
    float along_x[most_kernel_size] = {}, along_y[most_kernel_size] = {};
  };
  static constexpr int most_width = most_kernel_size;
  static constexpr int warps = 1, blocks = 16;
  static constexpr int rows_under_way = 4;
  static std::size_t extra_memory(const Weights& weights) {
    return sizeof(float4) * warp_size * static_cast<std::size_t>(weights.height);
  }

  __device__ AnySeparableSum(const Weights&, float* memory) : along_rows_(reinterpret_cast<float4*>(memory) + lane()) {}

  template <bool magnitudes, class Term>
  __device__ void advance(const Weights& weights, const float* row, ActiveRows active, const Term& term,
                          float (&sum)[lane_pixels]) {
    float along_row[1][lane_pixels] = {};
    sum_along_row<magnitudes>(weights.along_x, weights.width, row, term, along_row);
    along_rows_[warp_size * newest_] = {along_row[0][0], along_row[0][1], along_row[0][2], along_row[0][3]};
    newest_ = newest_ + 1 < weights.height ? newest_ + 1 : 0;  // now the index of the oldest row
    if (active.last + 1 < weights.height) return;
    float total[lane_pixels] = {};
    int place = newest_;
    for (int k = 0; k < weights.height; ++k) {
      const float weight = weight_of<magnitudes>(weights.along_y[k]);
      const float4 h = along_rows_[warp_size * place];
      total[0] = fmaf(weight, h.x, total[0]);
      total[1] = fmaf(weight, h.y, total[1]);
      total[2] = fmaf(weight, h.z, total[2]);
      total[3] = fmaf(weight, h.w, total[3]);
      place = place + 1 < weights.height ? place + 1 : 0;
    }
    for (int p = 0; p < lane_pixels; ++p) sum[p] = total[p];
  }

 private:
  float4* along_rows_;
  int newest_ = 0;
};

}  // namespace srcextract
