#include "cuda/ingest/rice_images.hpp"

#include <span>

#include "cuda/device/launch.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/device/warp.hpp"
#include "cuda/ingest/decode.hpp"
#include "stages/ingest/rice_stream.hpp"

namespace srcextract {

namespace {

/// Number of pixels of each tile that are decoded before they are written. Each lane decodes pixels of its own tile;
/// then all lanes together write neighbouring pixels of one tile after another.
constexpr int piece = warp_size;

/// Shared memory of a warp, with one entry per lane for the lane's tile.
struct WarpTiles {
  DeviceTile tile[warp_size];
  /// first index: lane; the padding puts the elements of a column into different memory banks
  std::uint32_t integers[warp_size][piece + 1];
  std::int32_t random_at[warp_size], random_next[warp_size];
  std::uint32_t words[RiceWords::ring_words][warp_size];
};

/// Writes the pixels `begin` to begin + piece - 1 of a tile, one per lane. Returns whether this lane's pixel exceeds
/// the range of the image's pixel type, which is a sign of damage.
__device__ bool write_piece(const WarpTiles& warp, int row, std::int32_t begin, const RiceImage& image,
                            const float* randoms, MaskCounts& counts) {
  const DeviceTile& tile = warp.tile[row];
  const std::int32_t pixel = begin + lane();
  if (pixel >= tile.pixels) return false;
  const std::int32_t integer = rice_integer(warp.integers[row][lane()], image.format.coding.pixel_bits);
  const float random = image.format.dither == Dither::none
                           ? 0
                           : DitherPlace::number(randoms, warp.random_at[row], warp.random_next[row], lane());
  const std::int64_t place =
      tile.first + (tile.width == tile.pixels ? pixel : pixel / tile.width * image.width + pixel % tile.width);
  image.out[place] = rice_pixel(integer, random, tile.how, image.format, counts);
  return is_too_large(integer, image.format.bitpix);
}

/// Decodes tiles; each warp decodes `tiles_of_warp` tiles, one per lane.
__global__ void __launch_bounds__(warp_size)
    decode_tiles_kernel(const __grid_constant__ RiceImage image, const float* randoms, int tiles_of_warp) {
  __shared__ WarpTiles warp;
  const std::int64_t first = std::int64_t{blockIdx.x} * tiles_of_warp;
  if (first >= image.count) return;
  const int rows = static_cast<int>(min(std::int64_t{tiles_of_warp}, image.count - first));
  DeviceTile own{};
  if (lane() < rows) own = image.tiles[first + lane()];
  warp.tile[lane()] = own;
  const std::int32_t most =
      static_cast<std::int32_t>(__reduce_max_sync(all_lanes, static_cast<unsigned int>(own.pixels)));

  const RiceWords words(reinterpret_cast<const std::uint32_t*>(image.streams + own.begin), own.bytes,
                        &warp.words[0][lane()], warp_size);
  RiceStream stream(words, own.bytes, image.format.coding);
  DitherPlace dither(image.format.dither == Dither::none ? nullptr : randoms, own.how.random_begin);
  MaskCounts counts;
  bool damaged = false;
  std::int32_t left_of_block = 0;
  for (std::int32_t begin = 0; begin < most; begin += piece) {
    for (int i = 0; i < piece; ++i) {
      if (i % RiceWords::pixels_between == 0) stream.load_ahead();
      const bool inside = begin + i < own.pixels;
      if (left_of_block == 0) {
        if (inside) stream.begin_block();
        left_of_block = image.format.block;
      }
      --left_of_block;
      if (inside) warp.integers[lane()][i] = stream.next();
    }
    warp.random_at[lane()] = dither.at();
    warp.random_next[lane()] = dither.next();
    dither.advance(piece);
    __syncwarp();
#pragma unroll 4
    for (int row = 0; row < rows; ++row) damaged |= write_piece(warp, row, begin, image, randoms, counts);
    __syncwarp();
  }
  if (own.pixels > 0) damaged |= stream.damaged();
  if (damaged) *image.damaged = 1;
  add_over_warp(*image.masked, counts);
}

/// Number of warps per multiprocessor that choose_tiles_of_warp() tries to reach.
constexpr std::int64_t warps_wanted = 8;
constexpr int least_tiles_of_warp = 4;

/// Returns the number of tiles that each warp decodes. For few tiles, many warps with few active lanes are faster; for
/// many tiles, all lanes should be active.
int choose_tiles_of_warp(std::int64_t tiles, const Gpu& where) {
  int chosen = least_tiles_of_warp;
  while (chosen < warp_size && chosen * warps_wanted * where.multiprocessors < tiles) chosen *= 2;
  return chosen;
}

}  // namespace

DeviceTile make_device_tile(const RiceTile& tile, const RicePlane& plane, std::int64_t plane_width,
                            std::int64_t begin) {
  DeviceTile made{};
  made.how = make_rice_scale(tile.quantisation, plane);
  made.first = tile.y * plane_width + tile.x;
  made.begin = static_cast<std::uint32_t>(begin);
  made.bytes = static_cast<std::uint32_t>(tile.stream.size());
  made.width = static_cast<std::int32_t>(tile.width);
  made.pixels = static_cast<std::int32_t>(tile.width * tile.height);
  return made;
}

const float* DeviceRandoms::of(Dither dither, const Gpu& where) {
  if (dither == Dither::none) return nullptr;
  if (there_.empty()) there_ = to_device(std::span<const float>(randoms()), where);
  return there_.data();
}

int* DamageFlag::clear(const Gpu& where) {
  if (there_.empty()) {
    there_ = Buffer<int, Gpu>(1, where);
    here_ = PinnedBuffer(sizeof(int));
  }
  check(cudaMemsetAsync(there_.data(), 0, sizeof(int), where.stream));
  return there_.data();
}

bool DamageFlag::raised(const Gpu& where) {
  auto* const flag = reinterpret_cast<int*>(here_.data());
  copy_to_host(flag, there_.data(), 1, where);
  return *flag != 0;
}

void decode_rice_image(const RiceImage& image, const float* randoms, const Gpu& where, CUstream_st* stream) {
  if (image.count == 0) return;
  const int tiles_of_warp = choose_tiles_of_warp(image.count, where);
  const auto warps = static_cast<unsigned int>((image.count + tiles_of_warp - 1) / tiles_of_warp);
  decode_tiles_kernel<<<warps, warp_size, 0, stream>>>(image, randoms, tiles_of_warp);
  check_launch();
}

}  // namespace srcextract
