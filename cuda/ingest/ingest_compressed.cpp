#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <optional>
#include <span>

#include "cuda/ingest/ingest.hpp"
#include "cuda/ingest/rice_images.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

bool Ingester::ingest_compressed(const PixelSource& source, Pixels<Gpu>& pixels) {
  const CompressedRead* const read = CompressedRead::of(source);
  const std::optional<RicePlane> plane = read == nullptr ? std::nullopt : read->rice();
  if (!plane) return false;
  const Cpu readers{where_.host_threads};
  const std::int64_t most_of_lane = most_device_bytes / static_cast<std::int64_t>(std::size(lanes_));
  const std::optional<RiceParts> parts =
      RiceParts::of(*plane, source.shape.width, slot_bytes(), most_of_lane - bus_alignment, readers);
  if (!parts) return false;

  // waits for the stream even after an exception: memory that is the source of a copy must outlive the copy
  const StreamEnd end(where_);
  std::int64_t widest = 0;
  for (const RiceParts::Part& part : parts->parts())
    widest = std::max(widest, bus_room(part.table_bytes()) + part.bytes);
  make_lanes_wide(parts->others().empty() ? widest : std::max(widest, slot_bytes()));
  make_slots();
  const std::span<const DeviceTile> tiles = parts->tiles();
  if (tile_table_.size() < std::ssize(std::as_bytes(tiles))) {
    tile_table_ = PinnedBuffer(0);
    tile_table_ = PinnedBuffer(std::ssize(std::as_bytes(tiles)));
  }
  std::memcpy(tile_table_.data(), tiles.data(), tiles.size_bytes());

  RiceImage image;
  image.format = make_rice_format(*plane, source.format);
  image.width = source.shape.width;
  image.out = pixels.image.pixels.data();
  image.masked = pixels.masked.data();
  image.damaged = damage_.clear(where_);
  const float* const randoms = randoms_.of(plane->dither, where_);
  check(cudaMemsetAsync(pixels.masked.data(), 0, sizeof(MaskCounts), where_.stream));
  {
    const Fork fork(*this);
    for (const RiceParts::Part& part : parts->parts()) send_part(*parts, part, image, randoms);
    read_tiles(parts->others(), source, pixels);
  }
  return !damage_.raised(where_);
}

/// Copies the tiles of one part to a lane's memory and queues their decoding. The previous part may still be using the
/// same memory, but both use the same stream, which executes them one after the other.
void Ingester::send_part(const RiceParts& parts, const RiceParts::Part& part, RiceImage image, const float* randoms) {
  Lane& lane = next_lane();
  const cudaStream_t stream = lane.stream.where().stream;
  std::byte* const there = lane.memory.data();
  std::byte* const streams = there + bus_room(part.table_bytes());
  const auto* const table = reinterpret_cast<const DeviceTile*>(tile_table_.data()) + part.begin;
  check(cudaMemcpyAsync(there, table, static_cast<std::size_t>(part.table_bytes()), cudaMemcpyHostToDevice, stream));
  parallel_for(std::ssize(part.slices), 1, Cpu{where_.host_threads}, [&](std::int64_t begin, std::int64_t) {
    use_device(where_.device);  // a new thread begins with current device 0
    const RiceParts::Slice& slice = part.slices[static_cast<std::size_t>(begin)];
    Slot& slot = slots_[next_slot_++ % slots_.size()];
    const std::lock_guard turn(slot.turn);
    slot.sent.wait();
    parts.write(slice, slot.memory);
    const std::lock_guard lane_turn(lane.turn);
    check(cudaMemcpyAsync(streams + slice.first, slot.memory, static_cast<std::size_t>(slice.bytes),
                          cudaMemcpyHostToDevice, stream));
    slot.sent.record(stream);
  });
  use_device(where_.device);  // while waiting, this thread may have worked for an image on another device
  image.tiles = reinterpret_cast<const DeviceTile*>(there);
  image.count = part.tiles();
  image.streams = streams;
  decode_rice_image(image, randoms, where_, stream);
}

/// Decodes on the host the tiles that the device cannot decode, and sends their pixels: one row at a time, or all rows
/// together if the tile is as wide as the image.
void Ingester::read_tiles(std::span<const RiceTile> tiles, const PixelSource& source, Pixels<Gpu>& pixels) {
  const std::int64_t most = slot_bytes() / source.format.bytes(), width = source.shape.width;
  parallel_for(std::ssize(tiles), 1, Cpu{where_.host_threads}, [&](std::int64_t number, std::int64_t) {
    use_device(where_.device);  // a new thread begins with current device 0
    const RiceTile& tile = tiles[static_cast<std::size_t>(number)];
    const bool whole_rows = tile.width == width;
    const std::int64_t rows = whole_rows ? 1 : tile.height, length = whole_rows ? width * tile.height : tile.width;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t first = (tile.y + row) * width + tile.x;
      for (std::int64_t done = 0; done < length; done += most) {
        read(source, first + done, std::min(most, length - done), pixels);
      }
    }
  });
}

}  // namespace srcextract
