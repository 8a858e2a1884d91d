#include "stages/difference/fit/subtract_fitted.hpp"

#include <span>
#include <utility>
#include <vector>

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "cuda/ingest/decode.hpp"
#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/find_peaks.hpp"
#include "stages/difference/fit/fit_view.hpp"

namespace srcextract {

namespace {

constexpr int tile_threads = fitted_tile * fitted_tile;
constexpr int most_side = 2 * most_kernel_half + 1;
constexpr int most_taps = most_side * most_side;
constexpr int most_window = most_side + fitted_tile - 1;

/// A frame in device memory, with its sky level, noise, and limit of good pixel values.
struct FrameOnDevice {
  ImageView image;
  FrameLevel level;
};

/// Copies the frame that is to be convolved, with a margin of `half` pixels on all sides: `light`, the value above the
/// sky with bad pixels filled in, and the variance of each pixel. Outside the frame, the light is 0 and the variance is
/// the sky's.
__global__ void __launch_bounds__(block_threads)
    pad_kernel(FrameOnDevice frame, Shape padded, int half, float* light, float* variance) {
  const std::int64_t count = padded.width * padded.height;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const std::int64_t x = i % padded.width - half, y = i / padded.width - half;
    const bool inside = frame.image.contains(x, y);
    light[i] = inside ? filled_at(frame.image, frame.level, x, y) : 0;
    variance[i] = inside ? variance_at(frame.image, frame.level, x, y) : frame.level.variance;
  }
}

/// Sets the variance of all pixels within `bloom` pixels of a saturated pixel to -infinity. Several threads may write
/// to the same pixel, but all write the same value.
__global__ void __launch_bounds__(block_threads)
    spread_saturation_kernel(FrameOnDevice frame, int bloom, int half, std::int64_t stride, float* variance) {
  const std::int64_t width = frame.image.shape.width, count = width * frame.image.shape.height;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    if (!(frame.image.pixels[i] >= frame.level.limit)) continue;
    const std::int64_t x = i % width, y = i / width;
    for (std::int64_t j = y - bloom; j <= y + bloom; ++j)
      for (std::int64_t k = x - bloom; k <= x + bloom; ++k)
        if (frame.image.contains(k, j)) variance[(j + half) * stride + k + half] = -INFINITY;
  }
}

/// The convolution kernel of a tile, and all pixels of the convolved frame that the kernel reaches from the tile.
struct TileMemory {
  float kernel[most_taps];
  float light[most_window * most_window];
  float variance[most_window * most_window];
  float all;  ///< sum of the kernel's absolute values; set only if the kernel reaches a bad pixel
};

/// Fills the tile's memory; all threads of the block must call this function together. Returns whether the kernel
/// reaches a bad pixel.
__device__ bool prepare_tile(const FitView& fit, const float* light, const float* variance, std::int64_t stride,
                             std::int64_t left, std::int64_t top, TileMemory& tile) {
  const int thread = static_cast<int>(threadIdx.x);
  const FieldTerms terms = fit.terms_of_tile(left, top);
  const int window = fit.side() + fitted_tile - 1;
  int bad = 0;
  for (int i = thread; i < window * window; i += tile_threads) {
    const std::int64_t from = (top + i / window) * stride + left + i % window;
    tile.light[i] = light[from];
    tile.variance[i] = variance[from];
    bad |= variance[from] < 0 ? 1 : 0;
  }
  for (int tap = thread; tap < fit.taps(); tap += tile_threads) tile.kernel[tap] = fit.kernel_value(terms, tap);
  const bool any_bad = __syncthreads_or(bad) != 0;
  if (any_bad && thread == 0) {
    float all = 0;
    for (int tap = 0; tap < fit.taps(); ++tap) all += fabsf(tile.kernel[tap]);
    tile.all = all;
  }
  __syncthreads();
  return any_bad;
}

/// Returns the sums over the kernel for this thread's pixel of the tile.
__device__ KernelSums sum_pixel(const FitView& fit, const TileMemory& tile, bool any_bad) {
  const int side = fit.side(), window = side + fitted_tile - 1;
  const int first = static_cast<int>(threadIdx.x) / fitted_tile * window + static_cast<int>(threadIdx.x) % fitted_tile;
  KernelSums sums;
  for (int v = 0; v < side; ++v) {
    for (int u = 0; u < side; ++u) {
      sums.light = fmaf(tile.kernel[v * side + u], tile.light[first + v * window + u], sums.light);
    }
  }
  const int less = fit.half - fit.square_half;
  for (int v = less; v < side - less; ++v) {
    for (int u = less; u < side - less; ++u) {
      const float weight = tile.kernel[v * side + u];
      sums.variance = fmaf(weight * weight, fabsf(tile.variance[first + v * window + u]), sums.variance);
    }
  }
  if (!any_bad) return sums;
  sums.all = tile.all;
  for (int v = 0; v < side; ++v) {
    for (int u = 0; u < side; ++u) {
      const int pixel = first + v * window + u;
      const float weight = tile.variance[pixel] < 0 ? fabsf(tile.kernel[v * side + u]) : 0.0F;
      sums.bad += weight;
      sums.bad_light += weight * hidden_light(tile.light[pixel], tile.variance[pixel]);
    }
  }
  return sums;
}

/// Subtracts the frames in one tile per block, and counts the pixels that become NaN.
__global__ void __launch_bounds__(tile_threads)
    subtract_tiles_kernel(FitView fit, const float* light, const float* variance, std::int64_t stride, ImageView other,
                          float* out, float* noise, float* noise_of_stars, FrameImages frames, MaskCounts* masked) {
  __shared__ TileMemory tile;
  const std::int64_t left = static_cast<std::int64_t>(blockIdx.x) * fitted_tile;
  const std::int64_t top = static_cast<std::int64_t>(blockIdx.y) * fitted_tile;
  const bool any_bad = prepare_tile(fit, light, variance, stride, left, top, tile);
  const KernelSums sums = sum_pixel(fit, tile, any_bad);
  const std::int64_t x = left + threadIdx.x % fitted_tile, y = top + threadIdx.x / fitted_tile;
  std::int64_t nan = 0;
  if (other.contains(x, y)) {
    const FittedRow row(fit, y);
    const std::int64_t i = y * other.shape.width + x;
    const auto column = static_cast<double>(x);
    const float variance = variance_at(other, fit.to, x, y);
    const FittedPixel pixel = subtract_pixel(fit, row, sums, other.at(x, y), variance, column);
    out[i] = pixel.difference;
    noise[i] = pixel.noise;
    if (noise_of_stars != nullptr) noise_of_stars[i] = pixel.noise_of_stars;
    if (frames.reference != nullptr)
      frames.keep(i, frames_of_pixel(fit, row, sums, other.at(x, y), variance, column, pixel.difference));
    nan = pixel.difference == pixel.difference ? 0 : 1;
  }
  add_over_warp(masked->nan, nan);
}

ImageView view(const Image<float, Gpu>& image) {
  return {image.pixels.data(), image.shape};
}

}  // namespace

KernelFit fit_kernel(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const DifferenceConfig& config,
                     const FrameLights& lights, const Gpu& where, const FrameMaps<Gpu>& maps, bool finds_stars) {
  const auto on_host = [&](const Image<float, Gpu>* map) {
    return map == nullptr ? Image<float, Cpu>() : to_host(*map, where);
  };
  const Image<float, Cpu> of_reference = on_host(maps.reference), of_fresh = on_host(maps.fresh);
  FrameLights known = lights;
  const auto find_greatest = [&](const Image<float, Gpu>& frame, FrameLight& light) {
    if (!(light.saturation > 0) && !light.greatest) light.greatest = shared_greatest(frame, where);
  };
  find_greatest(reference, known.reference);
  find_greatest(fresh, known.fresh);
  const Image<float, Cpu> reference_copy = to_host(reference, where), fresh_copy = to_host(fresh, where);
  const auto find = [&](const LevelledFrame& frame, float threshold) {
    return find_peaks(&frame.image == &fresh_copy ? fresh : reference, frame.level, threshold, where);
  };
  return fit_kernel(reference_copy, fresh_copy, config, known, Cpu{where.host_threads},
                    {map_of(of_reference), map_of(of_fresh)}, finds_stars, find);
}

void subtract_fitted(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const KernelFit& fit,
                     Pixels<Gpu>& out, const Gpu& where, const FrameMaps<Gpu>& maps, bool keeps_frames) {
  const Image<float, Gpu>&from = fit.convolves_new ? fresh : reference, &to = fit.convolves_new ? reference : fresh;
  const Shape shape = fresh.shape;
  const std::vector<double> kernels = term_kernels(fit);
  const Buffer<double, Gpu> on_gpu = to_device(std::span(kernels), where);
  FitView of_fit = view_of(fit, kernels, on_gpu.data(), shape);
  of_fit.to = level_to(fit, maps);
  const FrameLevel level = level_from(fit, maps);
  const Shape padded = padded_shape(shape, fit.basis.half);
  Image<float, Gpu> light(padded, where), variance(padded, where);
  pad_kernel<<<grid_for(padded.count(), where), block_threads, 0, where.stream>>>(
      {view(from), level}, padded, fit.basis.half, light.pixels.data(), variance.pixels.data());
  check_launch();
  spread_saturation_kernel<<<grid_for(shape.count(), where), block_threads, 0, where.stream>>>(
      {view(from), level}, fit.bloom, fit.basis.half, padded.width, variance.pixels.data());
  check_launch();
  out.noise = Image<float, Gpu>(shape, where);
  if (maps.any()) out.variance = Image<float, Gpu>(shape, where);
  StarFrames<Gpu> frames;
  const FrameImages kept = keeps_frames ? make_frame_images(shape, frames, where) : FrameImages{};
  check(cudaMemsetAsync(out.masked.data(), 0, sizeof(MaskCounts), where.stream));
  const auto tiles = [](std::int64_t side) {
    return static_cast<unsigned int>((side + fitted_tile - 1) / fitted_tile);
  };
  subtract_tiles_kernel<<<dim3(tiles(shape.width), tiles(shape.height)), tile_threads, 0, where.stream>>>(
      of_fit, light.pixels.data(), variance.pixels.data(), padded.width, view(to), out.image.pixels.data(),
      out.noise.pixels.data(), maps.any() ? out.variance.pixels.data() : nullptr, kept, out.masked.data());
  check_launch();
  out.star = {};
  if (!fit.star.empty())
    out.star = {fit.star.sizes, to_device(fit.star.values, where), fit.star.in_middle, std::move(frames)};
}

}  // namespace srcextract
