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

/// The input of a launch. The image is divided into strips of strip_width columns and strip_height rows; each warp
/// convolves one strip.
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

/// A strip of the image: strip_width columns from x on, rows `begin` to end - 1.
struct Strip {
  std::int64_t x, begin, end;
};

/// The kinds of passes over a strip. If the kernel covers no masked pixel, one plain pass suffices. Else, from the row
/// at which the plain pass stopped, two more passes follow:
/// - `values` sums kernel weight times pixel above the sky, and stores the sums in the result;
/// - `weights` sums the kernel's absolute weights at unmasked pixels, and normalises the stored sums.
enum class MarchPass { plain, values, weights };

/// Returns the value that a pixel contributes to a sum, before multiplication by the kernel's weight. In a plain pass,
/// a masked pixel is NaN, so the sum becomes NaN too.
template <MarchPass pass>
__device__ float summand(float pixel, float sky) {
  if (pass == MarchPass::plain) return pixel - sky;
  return pass == MarchPass::values ? above_sky(pixel, sky) : share_of(pixel);
}

/// Returns the number of columns of an image row in shared memory, for a kernel of this width; a multiple of warp_size.
constexpr int row_columns(int kernel_width) {
  return (strip_width + kernel_width - 1 + warp_size - 1) / warp_size * warp_size;
}

/// Copies image rows of a strip to shared memory, with the margins on both sides that the kernel reaches. Pixels
/// outside the image are replaced as pixel_at_edge() says.
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

  /// Starts the asynchronous copy of row `row` to `to`. Row 0 is the first row under the kernel when its centre is in
  /// the strip's first row. Each lane copies every warp_size-th column. Calls must be for rows 0, 1, 2, ... in order.
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
  std::int64_t begin_;  // row of the image that start(0, ...) copies; may be negative
  bool at_edge_;
  // addresses at or left of the first copied column: first_ in row 0 of the image, next_ in the row to copy next
  const float *first_, *next_;
  // for each copied pixel: its column, counted from first_; `nowhere` if the pixel is outside the image
  unsigned int offset_[copies];
  float sky_;
};

/// Converts the lane's sums to pixels of the result; after a `values` pass, sums stay as they are. `to` is the address
/// of the lane's first result pixel; only the first `count` of its pixels are inside the image.
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

/// Stores at `to` all of the lane's pixels if `all`, else only the first `count` pixels.
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

/// Does one pass over a strip. Returns strip.end if the pass reached the end of the strip. A plain pass stops at the
/// first result row with a NaN, usually caused by a masked pixel under the kernel, and returns that row.
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
  __pipeline_wait_prior(0);  // waits for copies that an earlier pass has started
  __syncwarp();
  for (int row = 0; row < depth - 1; ++row) start_copy(row);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(depth - 2);
    __syncwarp();  // all lanes can read row `step`, and no lane reads the previous row any more
    start_copy(step + depth - 1);
    const auto term = [=](float pixel) { return summand<pass>(pixel, sky); };
    float sum[lane_pixels];
    // the result row for which row `step` is the last that the kernel covers
    const int oldest = step - (weights.height - 1);
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
