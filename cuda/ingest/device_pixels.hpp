#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "stages/core/exec.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/weights/mask_source.hpp"

struct CUevent_st;

namespace srcextract {

/// An event in the stream of the owner of pixels: after it, pixels that the owner wrote before may be read. Null: they
/// may be read at once.
using Written = std::shared_ptr<CUevent_st>;

/// Returns the device to whose memory the address belongs, or which can read it in place (managed memory, page-locked
/// host memory). Returns nothing if no device knows the address. Throws Error{device} if there is no device, or if this
/// process has lost it.
std::optional<int> device_of(const void* address);

/// Records an event after all work so far in the stream of another library. Stream 1 is the legacy default stream,
/// stream 2 the default stream of this thread. Leaves the thread's current device unchanged. Throws Error{device}.
Written written_by(int device, std::uintptr_t stream);

/// Saves the current device of this thread, and restores it in the destructor.
class DeviceOfThread {
 public:
  DeviceOfThread();
  ~DeviceOfThread();  // NOLINT(performance-trivially-destructible): not where there is CUDA
  DeviceOfThread(const DeviceOfThread&) = delete;
  DeviceOfThread& operator=(const DeviceOfThread&) = delete;

 private:
  int before_ = 0;
};

/// Copies pixels from a device to the host. Its stream and page-locked memory are made at first use and kept from image
/// to image. It serves one caller at a time; others wait.
class DeviceReader {
 public:
  explicit DeviceReader(int device);
  ~DeviceReader();
  DeviceReader(const DeviceReader&) = delete;
  DeviceReader& operator=(const DeviceReader&) = delete;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// Where stored pixels are on a device.
struct DevicePlace {
  int device = 0;
  const std::byte* address = nullptr;      ///< address of pixel (0, 0)
  std::array<std::int64_t, 2> steps = {};  ///< bytes from a pixel to the next row, and to the next column
  bool turned = false;                     ///< the highest bit of each pixel is inverted, compared with FITS
  Written written = nullptr;
};

/// Stored pixels that are already in the memory of a GPU, where they must stay. A PixelSource for such pixels has this
/// object as its `read`. operator() copies pixels to the host; the CUDA back end decodes them in place.
class DevicePixels {
 public:
  DevicePixels(const DevicePlace& place, const Shape& shape, const PixelFormat& format,
               std::shared_ptr<DeviceReader> reader);

  /// Returns the DevicePixels of a source; null if its pixels are not on a device.
  static const DevicePixels* of(const PixelSource& source) { return source.read.target<DevicePixels>(); }

  const DevicePlace& place() const { return place_; }

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const { copy(nullptr, first, count, out); }
  /// Reads whole rows, in one copy.
  void read_rows(std::span<const std::int64_t> rows, std::byte* out) const;

  /// Decodes all pixels on their device, in the stream of `where`, and adds the numbers of masked pixels to `masked`.
  /// `out` and `masked` must be on the same device. Throws Error{device} if the stream belongs to another device.
  void decode(float* out, MaskCounts* masked, const Gpu& where) const;
  /// As decode(), for a quality map: each pixel becomes 0, or masked where mask_source() would mask it.
  void judge(const BadPixels& bad, float* out, MaskCounts* masked, const Gpu& where) const;

 private:
  void copy(const std::int64_t* rows, std::int64_t first, std::int64_t count, std::byte* out) const;
  void wait_in(const Gpu& where) const;

  DevicePlace place_;
  Shape shape_;
  PixelFormat format_;
  std::shared_ptr<DeviceReader> reader_;
};

}  // namespace srcextract
