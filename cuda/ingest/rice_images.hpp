#pragma once

#include <cstdint>

#include "cuda/device/pinned.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/rice_plane.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/ingest/rice_pixels.hpp"

namespace srcextract {

/// A RiceTile as the device is told of it.
struct DeviceTile {
  RiceScale how;
  std::int64_t first;   ///< its first pixel in the plane
  std::uint32_t begin;  ///< byte of the image's streams; a multiple of 16, as is where the next may begin
  std::uint32_t bytes;
  std::int32_t width, pixels;
};

/// `begin` is where its stream is to be; the plane is `plane_width` wide.
DeviceTile make_device_tile(const RiceTile& tile, const RicePlane& plane, std::int64_t plane_width, std::int64_t begin);

/// Tiles of one plane that lie on the device, and where their pixels go.
struct RiceImage {
  const DeviceTile* tiles = nullptr;
  std::int64_t count = 0;
  const std::byte* streams = nullptr;  ///< at a multiple of 16 bytes
  std::int64_t width = 0;              ///< of the plane
  float* out = nullptr;
  MaskCounts* masked = nullptr;  ///< what is masked is added to
  int* damaged = nullptr;        ///< becomes 1 if a tile is; all pixels are undefined then
  RiceFormat format{};
};

/// The random numbers of the standard in the memory of a device, brought there when they are first needed.
class DeviceRandoms {
 public:
  /// Null if nothing is dithered.
  const float* of(Dither dither, const Gpu& where);

 private:
  Buffer<float, Gpu> there_;
};

/// What tells the host that a tile is damaged.
class DamageFlag {
 public:
  /// Queues its clearing. The int on the device for RiceImage::damaged, there as long as this is.
  int* clear(const Gpu& where);
  /// Whether it became 1 by what was queued on the stream of `where`; waits for that.
  bool raised(const Gpu& where);

 private:
  Buffer<int, Gpu> there_;
  PinnedBuffer here_{0};  ///< an int
};

/// Queues the decoding of all tiles. Integers, floats and masked pixels are those of the host for the same bytes.
/// `randoms` are those of DeviceRandoms, null if nothing is dithered.
void decode_rice_image(const RiceImage& image, const float* randoms, const Gpu& where, CUstream_st* stream);

}  // namespace srcextract
