#include "stages/difference/fit/frame_level.hpp"

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

namespace {

/// The largest pixel value found so far, as an ordered_key(), and the number of pixels with this value.
struct Greatest {
  std::uint32_t key;
  unsigned int count;
};

__global__ void __launch_bounds__(block_threads)
    find_greatest_kernel(const float* pixels, std::int64_t count, Greatest* greatest) {
  std::uint32_t key = 0;  // smaller than the key of any number
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    if (pixels[i] == pixels[i]) key = max(key, ordered_key(pixels[i]));
  key = __reduce_max_sync(all_lanes, key);
  if (first_lane()) atomicMax(&greatest->key, key);
}

__global__ void __launch_bounds__(block_threads)
    count_greatest_kernel(const float* pixels, std::int64_t count, Greatest* greatest) {
  const float value = value_of_ordered_key(greatest->key);
  unsigned int equal = 0;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) equal += pixels[i] == value ? 1 : 0;
  equal = __reduce_add_sync(all_lanes, equal);
  if (first_lane()) atomicAdd(&greatest->count, equal);
}

}  // namespace

float shared_greatest(const Image<float, Gpu>& frame, const Gpu& where) {
  const std::int64_t count = frame.shape.count();
  const unsigned int grid = grid_for(count, where);
  auto greatest = zeroed<Greatest>(where);
  find_greatest_kernel<<<grid, block_threads, 0, where.stream>>>(frame.pixels.data(), count, greatest.data());
  check_launch();
  count_greatest_kernel<<<grid, block_threads, 0, where.stream>>>(frame.pixels.data(), count, greatest.data());
  check_launch();
  const Greatest found = fetch(greatest, where);
  return found.count >= least_shared_count ? value_of_ordered_key(found.key) : 0;
}

}  // namespace srcextract
