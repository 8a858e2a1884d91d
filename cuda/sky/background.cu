#include "stages/sky/background.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "cuda/device/launch.hpp"
#include "cuda/sky/clip_leader.hpp"
#include "cuda/sky/following_clip.hpp"
#include "cuda/sky/sky_sample.hpp"

namespace srcextract {

namespace {

/// One launch for the whole clip, all blocks at once on the device: a look at the image by all of them, then rounds by
/// the first warp of the first, for which all others wait.
__global__ void __launch_bounds__(clip_threads, 2) clip_kernel(ClipWork work, Background* background) {
  begin_clip(work);
  if (blockIdx.x != 0 || threadIdx.x >= warp_size) return follow_leader();
  ClipLeader leader;
  const Background found = clip(work.kappa, work.max_iterations, leader);
  leader.end();
  if (threadIdx.x == 0) *background = found;
}

/// The look at one piece of the image, by as many blocks as the clip has; nothing where the clip is to look itself.
__global__ void __launch_bounds__(clip_threads, 2) look_kernel(ClipWork work, std::int64_t first, std::int64_t count) {
  if (threadIdx.x == 0) shared().work = work;
  sync_block();
  if (state().command == ClipCommand::take_up) look_at_piece(first, count);
}

static_assert(sizeof(ClipShared) <= 99 * 1024);  // 99 KiB is the least that a block can have

/// As many blocks as the device runs at once, if each has four tiles; or one on each multiprocessor, or as there are
/// tiles. What blocks cost, to meet and to bring together what they have counted, is most of the time of small images.
unsigned int clip_blocks(std::int64_t tiles, const Gpu& where) {
  check(cudaFuncSetAttribute(clip_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(ClipShared)));
  check(cudaFuncSetAttribute(look_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(ClipShared)));
  int per_processor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, clip_kernel, clip_threads, sizeof(ClipShared)));
  const std::int64_t most = std::int64_t{where.multiprocessors} * per_processor;
  const std::int64_t wanted = std::max(tiles / 4, std::min<std::int64_t>(tiles, where.multiprocessors));
  return static_cast<unsigned int>(std::clamp<std::int64_t>(wanted, 1, most));
}

std::int64_t clip_tiles(std::int64_t count) {
  return (count + clip_tile - 1) / clip_tile;
}

/// Room for what is left of an image, if it is to be.
void make_room(BrightQuads<Gpu>& bright, const Image<float, Gpu>& image, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  bright.of = nullptr;
  if (count == 0 || count < bright.least_pixels) return;
  constexpr int words_of_tile = sizeof(uint4) / sizeof(std::uint32_t);
  bright.of = image.pixels.data();
  bright.quads = {(count + warp_tile - 1) / warp_tile * words_of_tile, where};
  bright.limit = Value<float, Gpu>(where);
}

}  // namespace

/// The memory of a clip, and what is known of the image that it follows.
struct FollowingClip::Parts {
  Parts(const Image<float, Gpu>& image, const BackgroundConfig& clipped, const Gpu& stream);

  std::int64_t count;
  BackgroundConfig config;
  Gpu where;
  unsigned int blocks;
  SkySample sample;
  Buffer<float, Gpu> tail, window, cell_pixels, window_pixels;
  Buffer<WindowCell, Gpu> window_cell;
  Buffer<unsigned int, Gpu> listed;
  ClipWork work{};
  std::optional<std::int64_t> followed;  ///< pixels of the image that has begun
};

FollowingClip::Parts::Parts(const Image<float, Gpu>& image, const BackgroundConfig& clipped, const Gpu& stream)
    : count(image.shape.count()),
      config(clipped),
      where(stream),
      blocks(clip_blocks(clip_tiles(count), where)),
      sample(count, where),
      listed(std::int64_t{2} * blocks, where) {
  const std::int64_t tiles = clip_tiles(count);
  const std::int64_t share = std::min((tiles + blocks - 1) / blocks * clip_tile, count);  // of a block
  // What is kept is bounded where the image is large; where it is small, room for all of it does not matter.
  constexpr std::int64_t always = 2 * clip_tile;
  const std::int64_t tail_room = std::min(share, std::max(always, share / 4));
  const std::int64_t window_room = std::min(share, std::max(always, share / 5));
  const auto cells = static_cast<int>(std::clamp<std::int64_t>(count / 64, least_cells, most_cells));
  const auto cell_room =
      static_cast<int>(std::clamp<std::uint64_t>(std::bit_ceil(static_cast<std::uint64_t>(count) >> 19), 64, 1024));
  const int window_cell_room = cell_room <= 512 ? most_ranked / 2 : most_ranked;
  // The window is some margins of rank wide: so many cells that each has some 16 to 32 pixels.
  const double in_bin = 2.6 * rank_margin(sample_size(count)) * static_cast<double>(count) / window_bins;
  const int bin_cells =
      std::clamp(static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(in_bin / 32) + 1)), 1, 256);

  // A warp's share is so many tiles as a block's.
  const std::int64_t chunk_tiles = std::clamp<std::int64_t>(tiles / (8 * blocks), 1, 8);

  tail = {tail_room * blocks, where};
  window = {window_room * blocks, where};
  cell_pixels = {std::int64_t{cells} * cell_room, where};
  const std::int64_t window_cells = std::int64_t{bin_cells} * WantedBins::most;
  window_cell = {window_cells, where};
  window_pixels = {window_cells * window_cell_room, where};

  work = {.pixels = image.pixels.data(),
          .count = count,
          .sorted = sample.sorted(),
          .tail = tail.data(),
          .window = window.data(),
          .tail_room = tail_room,
          .window_room = window_room,
          .listed = listed.data(),
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
          .bright_quads = nullptr,
          .bright_limit = nullptr};
}

FollowingClip::FollowingClip(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where)
    : parts_(std::make_unique<Parts>(image, config, where)) {}

FollowingClip::~FollowingClip() = default;

void FollowingClip::tell(const Image<float, Gpu>& image, BrightQuads<Gpu>& bright, const Gpu& where) {
  make_room(bright, image, where);
  if (bright.of == nullptr) return;
  parts_->work.bright_quads = reinterpret_cast<uint4*>(bright.quads.data());
  parts_->work.bright_limit = bright.limit.data();
}

void FollowingClip::begin(const std::byte* stored, const PixelFormat& format) {
  const auto bytes = static_cast<std::size_t>(parts_->listed.size()) * sizeof(unsigned int);
  check(cudaMemsetAsync(parts_->listed.data(), 0, bytes, parts_->where.stream));
  parts_->sample.draw_ahead(stored, format, parts_->config, parts_->where);
  parts_->followed = 0;
}

void FollowingClip::follow(std::int64_t first, std::int64_t count) {
  look_kernel<<<parts_->blocks, clip_threads, sizeof(ClipShared), parts_->where.stream>>>(parts_->work, first, count);
  check_launch();
  *parts_->followed += count;
}

void FollowingClip::forget() {
  parts_->followed.reset();
}

void FollowingClip::catch_up() {
  if (parts_->followed != parts_->count) parts_->sample.draw(parts_->work.pixels, parts_->config, parts_->where);
}

Value<Background, Gpu> FollowingClip::finish(const Gpu& where) {
  Value<Background, Gpu> background(where);
  check(cudaMemsetAsync(background.data(), 0, sizeof(Background), where.stream));  // its padding, too
  Background* out = background.data();
  void* arguments[] = {&parts_->work, &out};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(clip_kernel), dim3(parts_->blocks),
                                    dim3(clip_threads), arguments, sizeof(ClipShared), where.stream));
  return background;
}

Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where) {
  FollowingClip clip(image, config, where);
  clip.catch_up();
  return clip.finish(where);
}

Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where, BrightQuads<Gpu>& bright) {
  FollowingClip clip(image, config, where);
  clip.tell(image, bright, where);
  clip.catch_up();
  return clip.finish(where);
}

}  // namespace srcextract
