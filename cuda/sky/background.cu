#include "stages/sky/background.hpp"

#include <algorithm>

#include "cuda/device/launch.hpp"
#include "cuda/sky/clip_leader.hpp"
#include "cuda/sky/sky_sample.hpp"

namespace srcextract {

namespace {

/// One launch for the whole clip, all blocks at once on the device: a look at the image by all of them, then rounds by
/// the first, whom the others wait for.
__global__ void __launch_bounds__(clip_threads, 2) clip_kernel(ClipWork work, Background* background) {
  begin_clip(work);
  if (blockIdx.x != 0) return follow_leader();
  ClipLeader leader;
  const Background found = clip(work.kappa, work.max_iterations, leader);
  leader.end();
  if (threadIdx.x == 0) *background = found;
}

static_assert(sizeof(ClipShared) <= 96 * 1024);  // 99 KiB is the least that a block can have

/// As many blocks as the device runs at once, or as there are tiles.
unsigned int clip_blocks(std::int64_t tiles, const Gpu& where) {
  check(cudaFuncSetAttribute(clip_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(ClipShared)));
  int per_processor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, clip_kernel, clip_threads, sizeof(ClipShared)));
  return static_cast<unsigned int>(std::clamp<std::int64_t>(tiles, 1, where.multiprocessors * per_processor));
}

}  // namespace

Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where) {
  const std::int64_t count = image.shape.count();
  const std::int64_t tiles = (count + clip_tile - 1) / clip_tile;
  const unsigned int blocks = clip_blocks(tiles, where);
  const std::int64_t share = std::min((tiles + blocks - 1) / blocks * clip_tile, count);  // of a block
  // What is kept is bounded where the image is large; where it is small, room for all of it does not matter.
  constexpr std::int64_t always = 2 * clip_tile;
  const std::int64_t tail_room = std::min(share, std::max(always, share / 4));
  const std::int64_t window_room = std::min(share, std::max(always, share / 5));
  const std::int64_t zone_room = std::max(std::clamp<std::int64_t>(count / 8, 256, 2048), count / 1024);
  const std::int64_t collected_room = std::max(std::clamp<std::int64_t>(4 * count, 4096, 1 << 16), count / 256);

  SkySample sample = draw_sky_sample(image, config, where);
  Buffer<float, Gpu> tail(tail_room * blocks, where);
  Buffer<float, Gpu> window(window_room * blocks, where);
  Buffer<float, Gpu> zones(zone_room * most_zones, where);
  Buffer<float, Gpu> collected(collected_room, where);
  Value<Background, Gpu> background(where);
  check(cudaMemsetAsync(background.data(), 0, sizeof(Background), where.stream));  // its padding, too

  ClipWork work{.pixels = image.pixels.data(),
                .count = count,
                .sorted = sample.sorted.data(),
                .tail = tail.data(),
                .window = window.data(),
                .tail_room = tail_room,
                .window_room = window_room,
                .zones = zones.data(),
                .collected = collected.data(),
                .zone_room = static_cast<unsigned int>(zone_room),
                .collected_room = static_cast<unsigned int>(collected_room),
                .chunk_tiles = static_cast<int>(std::clamp<std::int64_t>(tiles / (8 * blocks), 1, 8)),
                .kappa = config.kappa,
                .max_iterations = config.max_iterations,
                .state = sample.state.data()};
  Background* out = background.data();
  void* arguments[] = {&work, &out};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(clip_kernel), dim3(blocks), dim3(clip_threads),
                                    arguments, sizeof(ClipShared), where.stream));
  return background;
}

}  // namespace srcextract
