#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "cuda/device/device.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/device/pinned.hpp"
#include "cuda/ingest/rice_images.hpp"
#include "cuda/ingest/rice_parts.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Copies stored pixels of one image after another to the device and decodes them there. Streams, page-locked memory
/// and device memory are allocated once and kept.
class Ingester {
 public:
  /// Upper limit of the device memory in bytes that is needed besides the image.
  static constexpr std::int64_t most_device_bytes = std::int64_t{64} << 20;

  explicit Ingester(const Gpu& where);

  /// Queues the work of ingest() in stages/ingest/ingest.hpp. Pixels in page-locked memory or in device memory are read
  /// directly from there, so these pixels must not change until the stream has finished. All other pixels have been
  /// read when this function returns.
  void ingest(const PixelSource& source, Pixels<Gpu>& pixels);

  /// As ingest(), for a compressed plane with RICE_1 tiles. The compressed tiles are copied, and the device decodes
  /// them; the function waits for the result. The host decodes the few tiles that are stored in another form. Returns
  /// false if the plane is not of this kind, if RiceParts::of() leaves the plane to the host, or if a tile is damaged.
  /// In all these cases the host must read the pixels; the host also reports the damage.
  bool ingest_compressed(const PixelSource& source, Pixels<Gpu>& pixels);

 private:
  /// Returns the size in bytes of a slot, which one thread fills. Small slots use the bus badly and need many driver
  /// calls, during which threads that use the same device wait for each other. Large slots take long to page-lock.
  std::int64_t slot_bytes() const { return std::int64_t{where_.host_threads > 1 ? 1 : 2} << 20; }

  /// Returns the number of bytes that are decoded by one kernel. Few large kernels are better than many small ones,
  /// since every driver call delays other threads that use the device.
  std::int64_t lane_bytes() const { return where_.host_threads > 1 ? slot_bytes() : 4 * slot_bytes(); }

  /// Page-locked host memory in which one thread at a time stores pixels, before the pixels are copied to the device.
  struct Slot {
    explicit Slot(std::byte* place) : memory(place) {}

    std::mutex turn;
    std::byte* memory;
    Event sent;  ///< when this event has happened, the slot may be filled again
  };

  /// A stream that copies and decodes chunks in alternation, with its own device memory. While one lane decodes, the
  /// other lane copies, so that the bus is always busy.
  struct Lane {
    Lane(int device) : stream(device) {}

    std::mutex turn;
    Stream stream;
    Buffer<std::byte, Gpu> memory;
    Event done;
  };

  /// Constructed before work is queued in the lanes. The destructor makes the stream wait for the lanes, even after an
  /// exception: the lanes must be idle before the pixels' memory is reused.
  struct Fork {
    explicit Fork(Ingester& of) : ingester(of) { ingester.fork(); }
    ~Fork() { ingester.join(); }
    Fork(const Fork&) = delete;
    Fork& operator=(const Fork&) = delete;

    Ingester& ingester;
  };

  void ingest_plain(const PixelSource& source, Pixels<Gpu>& pixels);
  void send_in_chunks(const PixelSource& source, Pixels<Gpu>& pixels);
  void send_in_place(const PixelSource& source, Pixels<Gpu>& pixels);
  void send_part(const RiceParts& parts, const RiceParts::Part& part, RiceImage image, const float* randoms);
  void read(const PixelSource& source, std::int64_t first, std::int64_t count, Pixels<Gpu>& pixels);
  void read_tiles(std::span<const RiceTile> tiles, const PixelSource& source, Pixels<Gpu>& pixels);
  Lane& next_lane() { return lanes_[next_lane_++ % std::size(lanes_)]; }
  static void decode(const PixelFormat& format, const std::byte* stored, std::int64_t first, std::int64_t count,
                     Pixels<Gpu>& pixels, const Gpu& where);
  void make_lanes_wide(std::int64_t bytes);
  void make_slots();
  void fork();
  void join() noexcept;

  Gpu where_;
  Lane lanes_[2];
  PinnedBuffer slot_memory_{0};
  std::deque<Slot> slots_;
  std::atomic<std::size_t> next_lane_ = 0, next_slot_ = 0;
  Event begun_;
  std::deque<Event> come_;  ///< one event for each piece of an image, recorded after its copy
  DeviceRandoms randoms_;
  /// the DeviceTile structs of a compressed plane, as the source of the copy to the device
  PinnedBuffer tile_table_{0};
  DamageFlag damage_;
};

/// Returns a host copy of the pixels and of all their maps.
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
