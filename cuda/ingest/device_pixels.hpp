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

/// An event that the owner of pixels records in its stream after writing the pixels. Readers must wait for the event.
/// Null: the pixels can be read at once.
using Written = std::shared_ptr<CUevent_st>;

/// Returns the device in whose memory the address is, or which can access the address (managed memory, page-locked host
/// memory). Returns nullopt if CUDA does not know the address. Throws Error{device} if there is no device, or if this
/// process can no longer use it.
std::optional<int> device_of(const void* address);

/// Records an event after all work queued so far in a stream of another library. Stream 1 is the legacy default stream;
/// stream 2 is the default stream of this thread. Leaves the thread's current device unchanged. Throws Error{device} if
/// the device or the stream cannot be used.
Written written_by(int device, std::uintptr_t stream);

/// Saves the current device of this thread; the destructor restores that device.
class DeviceOfThread {
 public:
  DeviceOfThread();
  ~DeviceOfThread();  // NOLINT(performance-trivially-destructible): not where there is CUDA
  DeviceOfThread(const DeviceOfThread&) = delete;
  DeviceOfThread& operator=(const DeviceOfThread&) = delete;

 private:
  int before_ = 0;
};

/// Copies pixels from a device to the host. Creates a stream and page-locked memory at first use, and keeps both for
/// later images. Thread-safe: one caller at a time copies, others wait.
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

/// Location and layout of stored pixels in device memory.
struct DevicePlace {
  int device = 0;
  const std::byte* address = nullptr;  ///< the address of the pixel in column 0 of row 0
  /// distance in bytes from a pixel to the pixel in the next row, and to the pixel in the next column
  std::array<std::int64_t, 2> steps = {};
  bool turned = false;  ///< whether the highest bit of each pixel is inverted, compared with the FITS representation
  Written written = nullptr;
};

/// Stored pixels that are already in the memory of a GPU and stay there. The member `read` of a PixelSource holds such
/// an object. operator() copies pixels to the host; the CUDA back end decodes the pixels directly on the device.
class DevicePixels {
 public:
  DevicePixels(const DevicePlace& place, const Shape& shape, const PixelFormat& format,
               std::shared_ptr<DeviceReader> reader);

  /// Returns the DevicePixels that `source` holds; null if the pixels are not in device memory.
  static const DevicePixels* of(const PixelSource& source) { return source.read.target<DevicePixels>(); }

  const DevicePlace& place() const { return place_; }

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const { copy(nullptr, first, count, out); }
  /// Copies whole rows to the host; `rows` are their indices, from 0.
  void read_rows(std::span<const std::int64_t> rows, std::byte* out) const;

  /// Decodes all pixels, in the stream of `where`, to floats in `out`, and adds the numbers of masked pixels to
  /// `masked`. `out` and `masked` must be in the memory of the pixels' device. Throws Error{device} if the stream
  /// belongs to another device.
  void decode(float* out, MaskCounts* masked, const Gpu& where) const;
  /// As decode(), for a map of bad pixels: `out` is 0 at good pixels, and masked at pixels that mask_source() would
  /// mask.
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
