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

/// Brings stored pixels to the device, for one image after another. Its streams, page-locked memory and device memory
/// are made only once.
class Ingester {
 public:
  /// Upper limit of the device memory that is used in addition to the image.
  static constexpr std::int64_t most_device_bytes = std::int64_t{64} << 20;

  explicit Ingester(const Gpu& where);

  /// Queues the work of ingest() (stages/ingest/ingest.hpp). Pixels in page-locked memory are copied directly from it,
  /// and must stay unchanged until the stream is done. All other pixels have been read when this returns.
  void ingest(const PixelSource& source, Pixels<Gpu>& pixels);

  /// As ingest(), for a plane with RICE_1 tiles. The tiles cross the bus compressed, and the device decodes them; waits
  /// for the end. The host decodes the few tiles that are stored in another form. Returns false if the plane does not
  /// qualify, or if a tile is damaged. The pixels are then undefined, and must be read by ingest(), which reports the
  /// damage.
  bool ingest_compressed(const PixelSource& source, Pixels<Gpu>& pixels);

 private:
  /// Bytes of a slot, which one thread fills. Small slots use the bus badly and need many driver calls, for which
  /// threads that feed a device wait for each other. Large slots take long to page-lock.
  std::int64_t slot_bytes() const { return std::int64_t{where_.host_threads > 1 ? 1 : 2} << 20; }

  /// Bytes that are decoded at once. Few large calls are better, since every driver call delays other threads that feed
  /// the device.
  std::int64_t lane_bytes() const { return where_.host_threads > 1 ? slot_bytes() : 4 * slot_bytes(); }

  /// Page-locked host memory for pixels between the file and the bus, filled by one thread at a time.
  struct Slot {
    explicit Slot(std::byte* place) : memory(place) {}

    std::mutex turn;
    std::byte* memory;
    Event sent;  ///< once it has happened, the slot may be filled again
  };

  /// A stream that copies and decodes chunks in turn, with its own device memory. One lane copies while another
  /// decodes, so that the bus is always busy.
  struct Lane {
    Lane(int device) : stream(device) {}

    std::mutex turn;
    Stream stream;
    Buffer<std::byte, Gpu> memory;
    Event done;
  };

  /// Makes the stream wait for the lanes when destroyed, even if a read fails: the lanes must be idle before the
  /// pixels' memory is reused.
  struct Fork {
    explicit Fork(Ingester& of) : ingester(of) { ingester.fork(); }
    ~Fork() { ingester.join(); }
    Fork(const Fork&) = delete;
    Fork& operator=(const Fork&) = delete;

    Ingester& ingester;
  };

  void ingest_plain(const PixelSource& source, Pixels<Gpu>& pixels);
  void send_straight(const PixelSource& source, Pixels<Gpu>& pixels);
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
  std::deque<Event> come_;  ///< arrivals of the pieces of an image
  DeviceRandoms randoms_;
  PinnedBuffer tile_table_{0};  ///< tiles of a compressed plane, to be copied to the device
  DamageFlag damage_;
};

/// Returns a host copy of the pixels with all their maps.
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
