#include "stages/background.hpp"

#include <algorithm>

#include "cuda/clip_leader.hpp"
#include "cuda/launch.hpp"
#include "cuda/sky_sample.hpp"

namespace srcextract {

namespace {

/// One launch for the whole clip, all blocks at once on the device: a look at the image by all of them, then rounds by
/// the first, whom the others wait for.
__global__ void __launch_bounds__(clip_threads, 2)
    clip_kernel(ClipWork work, double kappa, std::int64_t max_iterations, Background* background) {
  __shared__ ClipShared shared;
  ClipBlocks blocks(work, shared);
  blocks.begin();
  if (blockIdx.x != 0) return blocks.follow();
  ClipLeader leader(work, shared, blocks);
  const Background found = clip(kappa, max_iterations, leader);
  leader.end();
  if (threadIdx.x == 0) *background = found;
}

/// As many blocks as the device runs at once, or as there are tiles.
unsigned int clip_blocks(std::int64_t tiles, const Gpu& where) {
  int per_processor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, clip_kernel, clip_threads, 0));
  return static_cast<unsigned int>(std::clamp<std::int64_t>(tiles, 1, where.multiprocessors * per_processor));
}

}  // namespace

Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where) {
  const std::int64_t count = image.shape.count();
  const int samples = sample_size(count);
  const std::int64_t tiles = (count + clip_tile - 1) / clip_tile;
  const unsigned int blocks = clip_blocks(tiles, where);
  const std::int64_t share = (tiles + blocks - 1) / blocks * clip_tile;  // of a block
  // What is kept is bounded where the image is large; where it is small, room for all of it does not matter.
  constexpr std::int64_t always = 2 * clip_tile;
  const std::int64_t tail_room = std::min(share, std::max(always, share / 4));
  const std::int64_t window_room = std::min(share, std::max(always, share / 5));

  Buffer<float, Gpu> sample(2 * std::max(samples, 1), where);
  auto rank = filled<unsigned int>(std::max(samples, 1), 0, where);
  Buffer<ClipState, Gpu> state(1, where);
  Buffer<float, Gpu> tail(tail_room * blocks, where);
  Buffer<float, Gpu> window(window_room * blocks, where);
  Buffer<float, Gpu> binned_tail(tail_room * blocks, where);
  Buffer<float, Gpu> binned_window(window_room * blocks, where);
  Value<Background, Gpu> background(where);
  check(cudaMemsetAsync(background.data(), 0, sizeof(Background), where.stream));  // its padding, too
  float* const sorted = sample.data() + samples;

  if (samples > 0) {
    const dim3 grid(static_cast<unsigned int>((samples + sort_threads - 1) / sort_threads),
                    static_cast<unsigned int>((samples + sort_chunk - 1) / sort_chunk));
    rank_sample_kernel<<<grid, sort_threads, 0, where.stream>>>(image.pixels.data(), count, samples, sample.data(),
                                                                rank.data());
    check_launch();
  }
  guess_kernel<<<1, guess_threads, 0, where.stream>>>(sample.data(), rank.data(), samples, config.kappa,
                                                      config.max_iterations, sorted, state.data());
  check_launch();

  ClipWork work{.pixels = image.pixels.data(),
                .count = count,
                .sorted = sorted,
                .tail = tail.data(),
                .window = window.data(),
                .binned_tail = binned_tail.data(),
                .binned_window = binned_window.data(),
                .tail_room = tail_room,
                .window_room = window_room,
                .binned_tail_room = tail_room * blocks,
                .binned_window_room = window_room * blocks,
                .state = state.data()};
  double kappa = config.kappa;
  std::int64_t max_iterations = config.max_iterations;
  Background* out = background.data();
  void* arguments[] = {&work, &kappa, &max_iterations, &out};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(clip_kernel), dim3(blocks), dim3(clip_threads),
                                    arguments, 0, where.stream));
  return background;
}

}  // namespace srcextract
