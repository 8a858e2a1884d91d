#include "stages/measure/fill_masked.hpp"

#include <algorithm>

#include "cuda/device/launch.hpp"

namespace srcextract {

namespace {

/// Copies the image, with masked pixels replaced by the background level, or by 0 if `levels` is null.
__global__ void __launch_bounds__(block_threads)
    fill_masked_kernel(const float* pixels, std::int64_t count, const Levels* levels, float* full) {
  const float value = levels != nullptr ? static_cast<float>(levels->background) : 0.0F;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const float pixel = pixels[i];
    full[i] = pixel == pixel ? pixel : value;
  }
}

__global__ void __launch_bounds__(block_threads)
    add_near_masked_kernel(const SourceSums* elsewhere, ItemCount items, SourceSums* sums) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) sums[i].near_masked |= elsewhere[i].near_masked;
}

Image<float, Gpu> fill_masked(const Image<float, Gpu>& image, const Levels* levels, const Gpu& where) {
  Image<float, Gpu> full(image.shape, where);
  const std::int64_t count = image.shape.count();
  fill_masked_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(image.pixels.data(), count, levels,
                                                                                 full.pixels.data());
  check_launch();
  return full;
}

}  // namespace

Image<float, Gpu> fill_with_background(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                       const Gpu& where) {
  return fill_masked(image, levels.data(), where);
}

Image<float, Gpu> fill_with_zero(const Image<float, Gpu>& image, const Gpu& where) {
  return fill_masked(image, nullptr, where);
}

void add_near_masked(const Buffer<SourceSums, Gpu>& elsewhere, const Components<Gpu>& components,
                     Buffer<SourceSums, Gpu>& sums, const Gpu& where) {
  const std::int64_t room = std::min(elsewhere.size(), sums.size());
  if (room == 0) return;
  add_near_masked_kernel<<<grid_for(room, where), block_threads, 0, where.stream>>>(
      elsewhere.data(), ItemCount{&components.counts.data()->kept, room}, sums.data());
  check_launch();
}

}  // namespace srcextract
