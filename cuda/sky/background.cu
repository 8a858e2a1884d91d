#include "stages/sky/background.hpp"

#include <algorithm>
#include <bit>

#include "cuda/device/launch.hpp"
#include "cuda/sky/clip_leader.hpp"
#include "cuda/sky/sky_sample.hpp"

namespace srcextract {

namespace {

/// The whole kappa-sigma clip in one cooperative launch: all blocks are resident on the device at the same time. First
/// all blocks read the image. Then the first warp of the first block, the leader, iterates the clip, while all other
/// warps wait for the leader's commands.
__global__ void __launch_bounds__(clip_threads, 2) clip_kernel(ClipWork work, Background* background) {
  begin_clip(work);
  if (blockIdx.x != 0 || threadIdx.x >= warp_size) return follow_leader();
  ClipLeader leader;
  const Background found = clip(work.kappa, work.max_iterations, leader);
  leader.end();
  if (threadIdx.x == 0) *background = found;
}

// the most shared memory that a block may use on every supported device
static_assert(sizeof(ClipShared) <= 99 * 1024);

/// Returns the number of blocks for an image of `tiles` tiles of clip_tile pixels. One block for four tiles, but at
/// least min(tiles, number of multiprocessors) blocks, and at most as many as the device runs at the same time. More
/// blocks would cost small images time in barriers and in merging results.
unsigned int clip_blocks(std::int64_t tiles, const Gpu& where) {
  check(cudaFuncSetAttribute(clip_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(ClipShared)));
  int per_processor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, clip_kernel, clip_threads, sizeof(ClipShared)));
  const std::int64_t most = std::int64_t{where.multiprocessors} * per_processor;
  const std::int64_t wanted = std::max(tiles / 4, std::min<std::int64_t>(tiles, where.multiprocessors));
  return static_cast<unsigned int>(std::clamp<std::int64_t>(wanted, 1, most));
}

std::int64_t clip_tiles(std::int64_t count) {
  return (count + clip_tile - 1) / clip_tile;
}

/// Allocates memory to mark the bright quads of an image; a quad is four consecutive pixels. Allocates nothing if the
/// image has fewer than bright.least_pixels pixels.
void make_room(BrightQuads<Gpu>& bright, const Image<float, Gpu>& image, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  bright.of = nullptr;
  if (count == 0 || count < bright.least_pixels) return;
  constexpr int words_of_tile = sizeof(uint4) / sizeof(std::uint32_t);
  bright.of = image.pixels.data();
  bright.quads = {(count + warp_tile - 1) / warp_tile * words_of_tile, where};
  bright.limit = Value<float, Gpu>(where);
}

/// Queues the clip on the stream. If `bright` is not null, the clip also marks there which quads of pixels are bright.
Value<Background, Gpu> queue_clip(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where,
                                  BrightQuads<Gpu>* bright) {
  const std::int64_t count = image.shape.count();
  SkySample sample(count, where);
  const std::int64_t tiles = clip_tiles(count);
  const unsigned int blocks = clip_blocks(tiles, where);
  const std::int64_t share = std::min((tiles + blocks - 1) / blocks * clip_tile, count);  // pixels per block
  // Each block keeps two lists: pixels of the tail (outside the core), and pixels of the window (the interval in which
  // the medians of all clip iterations are expected). In large images, lists hold only part of a block's pixels; in
  // small images, all pixels, since the memory is then small.
  constexpr std::int64_t always = 2 * clip_tile;
  const std::int64_t tail_room = std::min(share, std::max(always, share / 4));
  const std::int64_t window_room = std::min(share, std::max(always, share / 5));
  const auto cells = static_cast<int>(std::clamp<std::int64_t>(count / 64, least_cells, most_cells));
  const auto cell_room =
      static_cast<int>(std::clamp<std::uint64_t>(std::bit_ceil(static_cast<std::uint64_t>(count) >> 19), 64, 1024));
  const int window_cell_room = cell_room <= 512 ? most_ranked / 2 : most_ranked;
  // The window is a few times rank_margin() wide. So many cells divide each bin of the window that a cell holds some 16
  // to 32 pixels, few enough for one warp to sort.
  const double in_bin = 2.6 * rank_margin(sample_size(count)) * static_cast<double>(count) / window_bins;
  const int bin_cells =
      std::clamp(static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(in_bin / 32) + 1)), 1, 256);

  const std::int64_t chunk_tiles = std::clamp<std::int64_t>(tiles / (8 * blocks), 1, 8);

  Buffer<float, Gpu> tail(tail_room * blocks, where), window(window_room * blocks, where);
  Buffer<float, Gpu> cell_pixels(std::int64_t{cells} * cell_room, where);
  const std::int64_t window_cells = std::int64_t{bin_cells} * WantedBins::most;
  Buffer<WindowCell, Gpu> window_cell(window_cells, where);
  Buffer<float, Gpu> window_pixels(window_cells * window_cell_room, where);
  if (bright != nullptr) make_room(*bright, image, where);
  const bool tells_bright = bright != nullptr && bright->of != nullptr;

  ClipWork work{.pixels = image.pixels.data(),
                .count = count,
                .sorted = sample.sorted(),
                .tail = tail.data(),
                .window = window.data(),
                .tail_room = tail_room,
                .window_room = window_room,
                .cell_pixels = cell_pixels.data(),
                .window_cell = window_cell.data(),
                .window_pixels = window_pixels.data(),
                .cells = cells,
                .cell_room = cell_room,
                .window_cell_room = window_cell_room,
                .bin_cells = bin_cells,
                .first_tiles = static_cast<int>(std::clamp<std::int64_t>(tiles / blocks, 1, 4 * chunk_tiles)),
                .chunk_tiles = static_cast<int>(chunk_tiles),
                .kappa = config.kappa,
                .max_iterations = config.max_iterations,
                .state = sample.state(),
                .bright_quads = tells_bright ? reinterpret_cast<uint4*>(bright->quads.data()) : nullptr,
                .bright_limit = tells_bright ? bright->limit.data() : nullptr};

  sample.draw(work.pixels, config, where);
  // All bytes begin as 0, padding bytes too, so that equal results are equal byte by byte.
  auto background = zeroed<Background>(where);
  Background* out = background.data();
  void* arguments[] = {&work, &out};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(clip_kernel), dim3(blocks), dim3(clip_threads),
                                    arguments, sizeof(ClipShared), where.stream));
  return background;
}

}  // namespace

Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where) {
  return queue_clip(image, config, where, nullptr);
}

Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where, BrightQuads<Gpu>& bright) {
  return queue_clip(image, config, where, &bright);
}

}  // namespace srcextract
