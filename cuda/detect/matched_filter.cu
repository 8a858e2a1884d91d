#include "stages/detect/matched_filter.hpp"

#include "cuda/detect/noise_map.hpp"
#include "cuda/device/launch.hpp"
#include "stages/convolve/convolve.hpp"
#include "stages/detect/matched_pixel.hpp"

namespace srcextract {

namespace {

/// Computes the MatchTerms of all pixels. Each block loops over rows.
__global__ void __launch_bounds__(block_threads)
    terms_kernel(const float* pixels, Shape shape, const Background* background, const Levels* of_image,
                 NoiseOfPixels noise, float* values, float* weights) {
  const auto sky = static_cast<float>(background->clipped.median);
  const Levels levels = *of_image;
  for (std::int64_t y = blockIdx.x; y < shape.height; y += gridDim.x) {
    for (std::int64_t x = threadIdx.x; x < shape.width; x += block_threads) {
      const std::int64_t i = y * shape.width + x;
      const float weight = noise.varies() ? weight_in_match(levels, noise.at(x, y)) : 1.0F;
      const MatchTerms own = match_terms(__ldg(pixels + i), sky, weight);
      values[i] = own.value;
      weights[i] = own.weight;
    }
  }
}

__global__ void __launch_bounds__(block_threads)
    match_kernel(const float* pixels, std::int64_t count, const float* weights, float* match) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    match[i] = match_of(__ldg(pixels + i), match[i], __ldg(weights + i));
}

__global__ void match_levels_kernel(const Levels* levels, Levels* of_match) {
  *of_match = match_levels(*levels);
}

}  // namespace

Image<float, Gpu> matched_filter(const Image<float, Gpu>& image, const Kernel& kernel,
                                 const Value<Background, Gpu>& sky, const Value<Levels, Gpu>& levels,
                                 const NoiseMap<Gpu>& noise, const Gpu& where) {
  Image<float, Gpu> values(image.shape, where), weights(image.shape, where);
  const NoiseRows rows(noise, where);
  const unsigned int blocks = grid_for(image.shape.height * block_threads, where);
  terms_kernel<<<blocks, block_threads, 0, where.stream>>>(image.pixels.data(), image.shape, sky.data(), levels.data(),
                                                           rows.pixels(), values.pixels.data(), weights.pixels.data());
  check_launch();
  const auto no_sky = zeroed<Background>(where);
  Image<float, Gpu> match = convolve(values, kernel, Edges::zero, no_sky, where);
  values = {};
  weights = convolve(weights, squared(kernel), Edges::zero, no_sky, where);
  match_kernel<<<grid_for(image.shape.count(), where), block_threads, 0, where.stream>>>(
      image.pixels.data(), image.shape.count(), weights.pixels.data(), match.pixels.data());
  check_launch();
  return match;
}

Value<Levels, Gpu> levels_of_match(const Value<Levels, Gpu>& levels, const Gpu& where) {
  Value<Levels, Gpu> of_match(where);
  match_levels_kernel<<<1, 1, 0, where.stream>>>(levels.data(), of_match.data());
  check_launch();
  return of_match;
}

}  // namespace srcextract
