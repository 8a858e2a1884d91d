#pragma once

#include <cstdint>

#include "cuda/device/pinned.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/rice_plane.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/ingest/rice_pixels.hpp"

namespace srcextract {

/// A RiceTile as the device reads it.
struct DeviceTile {
  RiceScale how;
  std::int64_t first;   ///< its first pixel in the plane
  std::uint32_t begin;  ///< offset of its first byte in the streams; a multiple of 16
  std::uint32_t bytes;
  std::int32_t width, pixels;
};

/// Converts a tile for the device. `begin`: offset at which the tile's stream will be on the device; `plane_width`:
/// width of the plane.
DeviceTile make_device_tile(const RiceTile& tile, const RicePlane& plane, std::int64_t plane_width, std::int64_t begin);

/// Tiles of one plane on the device, and where their pixels are to be written.
struct RiceImage {
  const DeviceTile* tiles = nullptr;
  std::int64_t count = 0;
  const std::byte* streams = nullptr;  ///< compressed bytes of all tiles, at a multiple of 16 bytes
  std::int64_t width = 0;              ///< width of the plane
  float* out = nullptr;
  MaskCounts* masked = nullptr;  ///< masked pixels are added to these counts
  int* damaged = nullptr;        ///< set to 1 if a tile is damaged; all pixels are then undefined
  RiceFormat format{};
};

/// The random numbers of the FITS standard in device memory, copied there at first use.
class DeviceRandoms {
 public:
  /// Null if `dither` is none.
  const float* of(Dither dither, const Gpu& where);

 private:
  Buffer<float, Gpu> there_;
};

/// A flag by which a kernel reports to the host that a tile is damaged.
class DamageFlag {
 public:
  /// Queues clearing the flag. Returns the int on the device for RiceImage::damaged, which is valid as long as this
  /// object.
  int* clear(const Gpu& where);
  /// Whether work queued on the stream of `where` has set the flag; waits for this work.
  bool raised(const Gpu& where);

 private:
  Buffer<int, Gpu> there_;
  PinnedBuffer here_{0};  ///< a copy of the flag: one int
};

/// Queues the decoding of all tiles. Integers, floats and masked pixels equal those that the host decodes from the same
/// bytes. `randoms` comes from DeviceRandoms; null if nothing is dithered.
void decode_rice_image(const RiceImage& image, const float* randoms, const Gpu& where, CUstream_st* stream);

}  // namespace srcextract
