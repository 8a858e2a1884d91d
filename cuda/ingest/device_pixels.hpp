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

/// A point in somebody's stream, after which what was written there may be read; null: it may be read at once.
using Written = std::shared_ptr<CUevent_st>;

/// The device in whose memory the address lies, or from which it can be read where it lies (managed memory, page-locked
/// host memory); nothing if no device knows it. Throws Error{device} if there is none, or if this process has lost it.
std::optional<int> device_of(const void* address);

/// What a stream of the device has to do so far; 1 and 2 are the legacy default stream and that of this thread. Leaves
/// the thread's device as it is. Throws Error{device}.
Written written_by(int device, std::uintptr_t stream);

/// The device of this thread is again what it was when this was made.
class DeviceOfThread {
 public:
  DeviceOfThread();
  ~DeviceOfThread();  // NOLINT(performance-trivially-destructible): not where there is CUDA
  DeviceOfThread(const DeviceOfThread&) = delete;
  DeviceOfThread& operator=(const DeviceOfThread&) = delete;

 private:
  int before_ = 0;
};

/// The way of pixels from a device to the host, kept from image to image: a stream and page-locked memory, made when
/// they are first needed. Who asks while another is served waits.
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

/// Where pixels lie on a device.
struct DevicePlace {
  int device = 0;
  const std::byte* address = nullptr;      ///< of pixel (0, 0)
  std::array<std::int64_t, 2> steps = {};  ///< bytes to the next row and to the next column
  bool turned = false;                     ///< the highest bit of each is another than FITS has it
  Written written = nullptr;
};

/// Stored pixels in the memory of a GPU, which must stay there: the `read` of a PixelSource that lies there is one of
/// these. Called, it copies pixels to the host; the CUDA back end decodes them where they are.
class DevicePixels {
 public:
  DevicePixels(const DevicePlace& place, const Shape& shape, const PixelFormat& format,
               std::shared_ptr<DeviceReader> reader);

  /// Null if the source lies elsewhere.
  static const DevicePixels* of(const PixelSource& source) { return source.read.target<DevicePixels>(); }

  const DevicePlace& place() const { return place_; }

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const { copy(nullptr, first, count, out); }
  /// Whole rows, in one copy.
  void read_rows(std::span<const std::int64_t> rows, std::byte* out) const;

  /// Decodes all of them on their device, in its stream, and counts in `masked` those that are; both lie there. Throws
  /// Error{device} if the stream is another device's.
  void decode(float* out, MaskCounts* masked, const Gpu& where) const;
  /// The same of a map of quality: 0, and masked where mask_source() has it so.
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
