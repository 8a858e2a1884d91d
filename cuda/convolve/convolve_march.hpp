#pragma once

#include <cuda_pipeline_primitives.h>

#include <limits>

#include "cuda/convolve/convolve_sums.hpp"
#include "cuda/device/warp.hpp"
#include "stages/convolve/convolve_pixel.hpp"
#include "stages/settings/convolve.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Number of columns of a strip, which one warp convolves.
inline constexpr int strip_width = warp_size * lane_pixels;

/// The image that a launch convolves, divided into strips of strip_width columns and strip_height rows, one for each
/// warp.
struct Convolution {
  const float* pixels;
  float* result;
  std::int64_t width, height;
  Edges edges;
  const Background* background;
  float full_weight;
  bool keeps_noise;
  std::int64_t strips_across = 0, strip_height = 0;
};

/// A strip of the image: columns from x on, rows `begin` to end - 1.
struct Strip {
  std::int64_t x, begin, end;
};

/// The kinds of passes over a strip. A strip without masked pixels needs one plain pass. Otherwise, two more passes are
/// made over the rows from the first window with a masked pixel on:
/// - sums of the values, kept in the result;
/// - sums of the weights of unmasked pixels.
enum class MarchPass { plain, values, weights };

/// What a pixel adds to a sum, before weighting. In a plain pass a masked pixel gives NaN, and so does its sum.
template <MarchPass pass>
__device__ float summand(float pixel, float sky) {
  if (pass == MarchPass::plain) return pixel - sky;
  return pass == MarchPass::values ? above_sky(pixel, sky) : share_of(pixel);
}

/// Number of columns of a row in shared memory, for a kernel of this width.
constexpr int row_columns(int kernel_width) {
  return (strip_width + kernel_width - 1 + warp_size - 1) / warp_size * warp_size;
}

/// Copies the rows of a strip, with the margins that its windows need, to shared memory. Pixels beyond the image's
/// edges are those that pixel_at_edge() gives.
template <int columns>
class RowCopier {
 public:
  __device__ RowCopier(const Convolution& task, const Strip& strip, int kernel_width, int kernel_height, float sky)
      : task_(task),
        begin_(strip.begin - kernel_height / 2),
        at_edge_(begin_ < 0 || strip.end + kernel_height / 2 > task.height),
        sky_(sky) {
    const std::int64_t left = max(strip.x - kernel_width, std::int64_t{0});
    first_ = task.pixels + left;
    next_ = first_ + begin_ * task.width;
#pragma unroll
    for (int c = 0; c < copies; ++c) {
      const std::int64_t x = strip.x - kernel_width / 2 + lane() + warp_size * c;
      const bool wanted = x < task.width + kernel_width / 2;
      const std::int64_t source = wanted ? pixel_at_edge(x, task.width, task.edges) : -1;
      offset_[c] = source < 0 ? nowhere : static_cast<unsigned int>(source - left);
    }
  }

  /// Starts the asynchronous copy of row `row`, counted from the first row of the strip's first window. Each lane
  /// copies columns that are warp_size apart. It must be called for all rows in turn.
  __device__ void start(int row, float* to) {
    const float* from = next_;
    next_ += task_.width;
    bool inside = true;
    if (at_edge_) {
      const std::int64_t source = pixel_at_edge(begin_ + row, task_.height, task_.edges);
      from = first_ + source * task_.width;
      inside = source >= 0;
    }
    to += lane();
#pragma unroll
    for (int c = 0; c < copies; ++c) {
      if (inside && offset_[c] != nowhere) {
        __pipeline_memcpy_async(to + warp_size * c, from + offset_[c], sizeof(float));
      } else {
        to[warp_size * c] = sky_;
      }
    }
  }

 private:
  static constexpr int copies = columns / warp_size;
  static constexpr unsigned int nowhere = std::numeric_limits<unsigned int>::max();

  const Convolution& task_;
  std::int64_t begin_;  // row of the image that start(0) copies
  bool at_edge_;
  const float *first_, *next_;   // addresses left of the copied columns: in row 0 of the image, and in the next row
  unsigned int offset_[copies];  // columns from these addresses to each copied pixel
  float sky_;
};

/// Converts the lane's sums to pixels of the result; a values pass keeps sums. The lane's first `count` pixels belong
/// at `to` and after it.
template <MarchPass pass>
__device__ void finish(const Convolution& task, const float* to, int count, float sky, float (&sum)[lane_pixels]) {
#pragma unroll
  for (int p = 0; p < lane_pixels; ++p) {
    if (pass == MarchPass::plain) sum[p] = finish_pixel(sky, sum[p], 1.0F);
    if (pass == MarchPass::weights && p < count) {
      const float pixel = task.pixels[to - task.result + p];
      sum[p] = finish_pixel(sky, to[p], renormalise(pixel, task.full_weight, sum[p], task.keeps_noise));
    }
  }
}

/// Stores all of the lane's pixels at `to`, or only the first `count`.
__device__ inline void store(float* to, const float (&value)[lane_pixels], bool all, int count) {
  if (all) {
    __stcg(reinterpret_cast<float4*>(to), float4{value[0], value[1], value[2], value[3]});
    return;
  }
#pragma unroll
  for (int p = 0; p < lane_pixels; ++p) {
    if (p < count) to[p] = value[p];
  }
}

/// Makes one pass over a strip. Returns strip.end, or the output row at which a plain pass stopped. The pass stops if a
/// pixel of the row becomes masked, mostly by a masked pixel in its window.
template <class Sum, MarchPass pass>
__device__ std::int64_t march(const Convolution& task, const typename Sum::Weights& weights, const Strip& strip,
                              float* memory) {
  constexpr int columns = row_columns(Sum::most_width), depth = Sum::rows_under_way;
  const float sky = static_cast<float>(task.background->clipped.median);
  RowCopier<columns> copier(task, strip, weights.width, weights.height, sky);
  Sum sums(weights, memory + depth * columns);
  const int rows = static_cast<int>(strip.end - strip.begin), steps = rows + weights.height - 1;
  const int across = static_cast<int>(min(task.width - strip.x, std::int64_t{strip_width}));
  const int count = min(max(across - lane() * lane_pixels, 0), lane_pixels);
  const bool whole_quads = across == strip_width && task.width % lane_pixels == 0;
  float* to = task.result + strip.begin * task.width + strip.x + lane() * lane_pixels;

  const auto start_copy = [&](int row) {
    if (row < steps) copier.start(row, memory + row % depth * columns);
    __pipeline_commit();
  };
  __pipeline_wait_prior(0);  // copies that an earlier pass has started
  __syncwarp();
  for (int row = 0; row < depth - 1; ++row) start_copy(row);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(depth - 2);
    __syncwarp();  // row `step` has arrived, and the previous row is no longer needed
    start_copy(step + depth - 1);
    const auto term = [=](float pixel) { return summand<pass>(pixel, sky); };
    float sum[lane_pixels];
    const int oldest = step - (weights.height - 1);  // the output row whose window is complete with this row
    sums.template advance<pass == MarchPass::weights>(
        weights, memory + step % depth * columns, {max(0, step - rows + 1), min(weights.height - 1, step)}, term, sum);
    if (oldest < 0) continue;
    finish<pass>(task, to, count, sky, sum);
    const bool masked = isnan(sum[0]) || isnan(sum[1]) || isnan(sum[2]) || isnan(sum[3]);
    if (pass == MarchPass::plain && __any_sync(all_lanes, masked)) return strip.begin + oldest;
    store(to, sum, whole_quads, count);
    to += task.width;
  }
  return strip.end;
}

template <class Sum>
inline constexpr int block_size = warp_size* Sum::warps;

template <class Sum>
__global__ void __launch_bounds__(block_size<Sum>, Sum::blocks)
    convolve_kernel(const __grid_constant__ Convolution task, const __grid_constant__ typename Sum::Weights weights,
                    int floats_per_warp) {
  extern __shared__ float4 memory[];
  const int warp = static_cast<int>(threadIdx.x / warp_size);
  const std::int64_t index = std::int64_t{blockIdx.x} * Sum::warps + warp;
  const std::int64_t begin = index / task.strips_across * task.strip_height;
  if (begin >= task.height) return;
  float* const of_warp = reinterpret_cast<float*>(memory) + warp * floats_per_warp;
  Strip strip{index % task.strips_across * strip_width, begin, min(begin + task.strip_height, task.height)};
  strip.begin = march<Sum, MarchPass::plain>(task, weights, strip, of_warp);
  if (strip.begin == strip.end) return;
  march<Sum, MarchPass::values>(task, weights, strip, of_warp);
  march<Sum, MarchPass::weights>(task, weights, strip, of_warp);
}

}  // namespace srcextract
