#pragma once

#include <cstdint>

#include "cuda/device/pinned.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/rice_plane.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/ingest/rice_pixels.hpp"

namespace srcextract {

/// The data of a compressed tile that the device needs to decode it.
struct DeviceTile {
  RiceScale how;
  std::int64_t first;   ///< index in the plane of the tile's first pixel
  std::uint32_t begin;  ///< offset in bytes of the tile's stream in RiceImage::streams; a multiple of 16
  std::uint32_t bytes;
  std::int32_t width, pixels;
};

/// Converts a tile for the device. `plane_width` is the width of the plane in pixels; `begin` is the offset in bytes at
/// which the tile's stream will be in RiceImage::streams.
DeviceTile make_device_tile(const RiceTile& tile, const RicePlane& plane, std::int64_t plane_width, std::int64_t begin);

/// Tiles of one plane in device memory, and the memory to which the decoded pixels are written.
struct RiceImage {
  const DeviceTile* tiles = nullptr;
  std::int64_t count = 0;
  const std::byte* streams = nullptr;  ///< compressed bytes of all tiles; the address is a multiple of 16
  std::int64_t width = 0;              ///< width of the plane in pixels
  float* out = nullptr;
  MaskCounts* masked = nullptr;  ///< counts to which the numbers of masked pixels are added
  int* damaged = nullptr;        ///< set to 1 if a tile is damaged, in which case all pixels are undefined
  RiceFormat format{};
};

/// The random numbers that the FITS standard defines for dithering, in device memory, copied there at first use.
class DeviceRandoms {
 public:
  /// Returns the numbers; null if `dither` is none.
  const float* of(Dither dither, const Gpu& where);

 private:
  Buffer<float, Gpu> there_;
};

/// A flag by which a kernel reports to the host that a tile is damaged.
class DamageFlag {
 public:
  /// Queues the clearing of the flag. Returns the address for RiceImage::damaged, valid as long as this object exists.
  int* clear(const Gpu& where);
  /// Waits for the work queued in the stream of `where`, and returns whether a kernel has set the flag.
  bool raised(const Gpu& where);

 private:
  Buffer<int, Gpu> there_;
  PinnedBuffer here_{0};  ///< a copy of the flag: one int
};

/// Queues the decoding of all tiles in `stream`. Pixels and counts of masked pixels are equal to those that the host
/// decodes from the same bytes. `randoms` comes from DeviceRandoms; null if pixels are not dithered.
void decode_rice_image(const RiceImage& image, const float* randoms, const Gpu& where, CUstream_st* stream);

}  // namespace srcextract
