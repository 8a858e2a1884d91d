#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "cuda/device/device.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/device/pinned.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// The way of stored pixels to the device, image after image: the streams, the page-locked memory and the device
/// memory that it takes are made once.
class Ingester {
 public:
  /// Device memory beside the image's is never more.
  static constexpr std::int64_t most_device_bytes = std::int64_t{16} << 20;

  explicit Ingester(const Gpu& where);

  /// ingest() of stages/ingest/ingest.hpp, queued. Pixels that lie in page-locked memory are copied straight from
  /// there, and must stay until the stream is done; all others have been read when this returns.
  void ingest(const PixelSource& source, Pixels<Gpu>& pixels);

 private:
  /// Host memory for a chunk between the file and the bus, filled by one thread at a time.
  struct Slot {
    explicit Slot(std::int64_t bytes) : memory(bytes) {}

    std::mutex turn;
    PinnedBuffer memory;
    Event sent;  ///< it may be filled again
  };

  /// A stream in which chunks are copied and decoded in turn, in device memory of its own. While one lane decodes, the
  /// other copies: the bus does not rest.
  struct Lane {
    Lane(int device) : stream(device) {}

    std::mutex turn;
    Stream stream;
    Buffer<std::byte, Gpu> memory;
    Event done;
  };

  struct Chunk {
    std::int64_t first, count;  ///< pixels
    const std::byte* stored;
  };

  void read_all(const PixelSource& source, Pixels<Gpu>& pixels, std::int64_t chunk_pixels);
  void send(const Chunk& chunk, const PixelFormat& format, Pixels<Gpu>& pixels, Event* sent);
  void make_lanes_wide(std::int64_t bytes);
  void make_slots();
  void fork();
  void join() noexcept;

  Gpu where_;
  Lane lanes_[2];
  std::deque<Slot> slots_;
  std::atomic<std::size_t> next_lane_ = 0, next_slot_ = 0;
  Event begun_;
};

/// Pixels on the host.
inline Pixels<Cpu> to_host(const Pixels<Gpu>& source, const Gpu& where) {
  Pixels<Cpu> copy;
  copy.image = to_host(source.image, where);
  copy.masked = fetch(source.masked, where);
  copy.noise = to_host(source.noise, where);
  copy.variance = to_host(source.variance, where);
  copy.kept = to_host(source.kept, where);
  return copy;
}

}  // namespace srcextract
