#include "stages/difference/difference.hpp"

#include "cuda/device/launch.hpp"
#include "cuda/ingest/decode.hpp"
#include "stages/difference/difference_pixel.hpp"

namespace srcextract {

namespace {

/// Number of consecutive pixels that a thread reads or writes in one memory access.
constexpr int quad_pixels = 4;
struct alignas(16) Quad {
  float pixel[quad_pixels];
};

__device__ Quad load_quad(const float* pixels, std::int64_t first, std::int64_t count) {
  if (first + quad_pixels <= count) return *reinterpret_cast<const Quad*>(pixels + first);
  Quad quad;
  for (int k = 0; k < quad_pixels; ++k) quad.pixel[k] = first + k < count ? pixels[first + k] : 0;
  return quad;
}

__device__ void store_quad(const Quad& quad, float* pixels, std::int64_t first, std::int64_t count) {
  if (first + quad_pixels <= count) {
    *reinterpret_cast<Quad*>(pixels + first) = quad;
    return;
  }
  for (int k = 0; k < quad_pixels; ++k) {
    if (first + k < count) pixels[first + k] = quad.pixel[k];
  }
}

/// Sets out[i] = f(a[i], b[i]) for all pixels.
template <class F>
__device__ void map_pixels(const float* a, const float* b, std::int64_t count, float* out, const F& f) {
  const std::int64_t step = thread_total() * quad_pixels;
  for (std::int64_t first = thread_index() * quad_pixels; first < count; first += step) {
    const Quad left = load_quad(a, first, count);
    const Quad right = load_quad(b, first, count);
    Quad result;
    for (int k = 0; k < quad_pixels; ++k) result.pixel[k] = f(left.pixel[k], right.pixel[k]);
    store_quad(result, out, first, count);
  }
}

unsigned int grid_for_quads(std::int64_t pixels, const Gpu& where) {
  return grid_for((pixels + quad_pixels - 1) / quad_pixels, where);
}

__global__ void __launch_bounds__(block_threads)
    flux_ratios_kernel(const float* reference, const float* fresh, std::int64_t count, const Background* reference_sky,
                       const Background* fresh_sky, float* out) {
  map_pixels(reference, fresh, count, out, FluxRatio(*reference_sky, *fresh_sky));
}

/// The two frames to subtract, their sky statistics, and the statistics of their flux ratios.
struct Frames {
  const float* reference;
  const float* fresh;
  std::int64_t count;
  const Background* reference_sky;
  const Background* fresh_sky;
  const Background* ratios;
};

/// Subtracts the reference from the fresh frame. Unless `noise` is null, stores there the variance of each pixel of the
/// difference, divided by the variance of the sky.
__global__ void __launch_bounds__(block_threads)
    subtract_kernel(Frames frames, Matching match, float* out, float* noise, MaskCounts* masked) {
  const Subtraction subtraction(*frames.reference_sky, *frames.fresh_sky, *frames.ratios, match);
  std::int64_t nan = 0;
  const std::int64_t step = thread_total() * quad_pixels;
  for (std::int64_t first = thread_index() * quad_pixels; first < frames.count; first += step) {
    const Quad r = load_quad(frames.reference, first, frames.count);
    const Quad n = load_quad(frames.fresh, first, frames.count);
    Quad difference;
    for (int k = 0; k < quad_pixels; ++k) {
      difference.pixel[k] = subtraction.difference(r.pixel[k], n.pixel[k]);
      nan += difference.pixel[k] == difference.pixel[k] || first + k >= frames.count ? 0 : 1;
    }
    store_quad(difference, out, first, frames.count);
    if (noise == nullptr) continue;
    Quad variance;
    for (int k = 0; k < quad_pixels; ++k) variance.pixel[k] = subtraction.noise(r.pixel[k], n.pixel[k]);
    store_quad(variance, noise, first, frames.count);
  }
  add_over_warp(masked->nan, nan);
}

/// Sets pixels[i] = f(pixels[i]) for all pixels.
template <class F>
__device__ void change_pixels(float* pixels, std::int64_t count, const F& f) {
  const std::int64_t step = thread_total() * quad_pixels;
  for (std::int64_t first = thread_index() * quad_pixels; first < count; first += step) {
    Quad quad = load_quad(pixels, first, count);
    for (float& pixel : quad.pixel) pixel = f(pixel);
    store_quad(quad, pixels, first, count);
  }
}

__global__ void __launch_bounds__(block_threads) negate_kernel(float* pixels, std::int64_t count) {
  change_pixels(pixels, count, [](float pixel) { return negated(pixel); });
}

__global__ void __launch_bounds__(block_threads) multiply_kernel(float* pixels, std::int64_t count, double factor) {
  change_pixels(pixels, count, [factor](float pixel) { return multiplied(pixel, factor); });
}

__global__ void __launch_bounds__(block_threads)
    weigh_kernel(const float* pixels, const float* noise, std::int64_t count, const Background* sky, float* out) {
  const auto level = static_cast<float>(sky->clipped.median);
  map_pixels(pixels, noise, count, out,
             [level](float pixel, float variance) { return weighed(pixel, variance, level); });
}

}  // namespace

Image<float, Gpu> flux_ratios(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh,
                              const FrameSkies<Gpu>& skies, const Gpu& where) {
  Image<float, Gpu> ratios(fresh.shape, where);
  const std::int64_t count = fresh.shape.count();
  flux_ratios_kernel<<<grid_for_quads(count, where), block_threads, 0, where.stream>>>(
      reference.pixels.data(), fresh.pixels.data(), count, skies.reference.data(), skies.fresh.data(),
      ratios.pixels.data());
  check_launch();
  return ratios;
}

void subtract_frames(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const FrameSkies<Gpu>& skies,
                     const Value<Background, Gpu>& ratios, const DifferenceConfig& config, const PhotonGains& gain,
                     Pixels<Gpu>& out, const Gpu& where) {
  const std::int64_t count = fresh.shape.count();
  out.noise = gain.fresh > 0 ? Image<float, Gpu>(fresh.shape, where) : Image<float, Gpu>();
  check(cudaMemsetAsync(out.masked.data(), 0, sizeof(MaskCounts), where.stream));
  subtract_kernel<<<grid_for_quads(count, where), block_threads, 0, where.stream>>>(
      {reference.pixels.data(), fresh.pixels.data(), count, skies.reference.data(), skies.fresh.data(), ratios.data()},
      {config.match_flux, config.match_background, gain}, out.image.pixels.data(), out.noise.pixels.data(),
      out.masked.data());
  check_launch();
}

void negate(Image<float, Gpu>& image, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  negate_kernel<<<grid_for_quads(count, where), block_threads, 0, where.stream>>>(image.pixels.data(), count);
  check_launch();
}

void multiply(Image<float, Gpu>& image, double factor, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  multiply_kernel<<<grid_for_quads(count, where), block_threads, 0, where.stream>>>(image.pixels.data(), count, factor);
  check_launch();
}

Image<float, Gpu> weigh_pixels(const Image<float, Gpu>& image, const Image<float, Gpu>& noise,
                               const Value<Background, Gpu>& sky, const Gpu& where) {
  Image<float, Gpu> result(image.shape, where);
  const std::int64_t count = image.shape.count();
  weigh_kernel<<<grid_for_quads(count, where), block_threads, 0, where.stream>>>(
      image.pixels.data(), noise.pixels.data(), count, sky.data(), result.pixels.data());
  check_launch();
  return result;
}

}  // namespace srcextract
