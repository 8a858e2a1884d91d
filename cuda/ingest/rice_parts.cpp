#include "cuda/ingest/rice_parts.hpp"

#include <cstring>
#include <mutex>

#include "stages/core/parallel.hpp"

namespace srcextract {

namespace {

/// Smallest number of tiles that the device decodes. For fewer tiles the host is faster: a device thread, which decodes
/// a whole tile, needs as long for one pixel as a host thread for many pixels.
constexpr std::int64_t least_tiles = 32;

/// If more than one tile in share_of_others is stored in another form than RICE_1, the host decodes the plane. Such
/// tiles contain floats without noise, which cannot be quantised.
constexpr std::int64_t share_of_others = 8;

/// Largest number of pixels of a tile. Even with the longest codes, so many pixels have less than 2^32 compressed bits.
constexpr std::int64_t most_pixels_of_tile = std::int64_t{1} << 20;

/// Number of tiles that a host thread looks up in the file's table at a time.
constexpr std::int64_t tiles_at_once = 256;

}  // namespace

std::optional<RiceParts> RiceParts::of(const RicePlane& plane, std::int64_t plane_width, std::int64_t slice_bytes,
                                       std::int64_t part_bytes, const Cpu& where) {
  if (plane.tiles < least_tiles || plane.most_pixels > most_pixels_of_tile) return std::nullopt;
  RiceParts parts;
  parts.tiles_.resize(static_cast<std::size_t>(plane.tiles));
  parts.streams_.resize(parts.tiles_.size());
  std::mutex turn;
  bool possible = true;
  parallel_for(plane.tiles, tiles_at_once, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const RiceTile tile = plane.tile(i);
      const auto at = static_cast<std::size_t>(i);
      parts.tiles_[at] = make_device_tile(tile, plane, plane_width, 0);
      parts.streams_[at] = tile.stream.data();
      if (!tile.stream.empty() && std::ssize(tile.stream) <= slice_bytes) continue;
      const std::lock_guard lock(turn);
      possible &= tile.stream.empty() && std::ssize(parts.others_) < plane.tiles / share_of_others;
      if (!possible) return;
      parts.tiles_[at].pixels = 0;
      parts.others_.push_back(tile);
    }
  });
  if (!possible || !parts.divide(slice_bytes, part_bytes)) return std::nullopt;
  return parts;
}

bool RiceParts::divide(std::int64_t slice_bytes, std::int64_t part_bytes) {
  constexpr auto row = static_cast<std::int64_t>(sizeof(DeviceTile));
  for (std::int64_t i = 0; i < std::ssize(tiles_); ++i) {
    DeviceTile& tile = tiles_[static_cast<std::size_t>(i)];
    const std::int64_t room = bus_room(tile.bytes);
    if (room > slice_bytes || room + row > part_bytes) return false;
    if (parts_.empty() || parts_.back().bytes + parts_.back().table_bytes() + room + row > part_bytes)
      parts_.push_back({i, i, 0, {}});
    Part& part = parts_.back();
    if (part.slices.empty() || part.slices.back().bytes + room > slice_bytes)
      part.slices.push_back({i, i, part.bytes, 0});
    tile.begin = static_cast<std::uint32_t>(part.bytes);
    part.slices.back().bytes += room;
    part.bytes += room;
    part.end = part.slices.back().end = i + 1;
  }
  return true;
}

void RiceParts::write(const Slice& slice, std::byte* out) const {
  for (std::int64_t i = slice.begin; i < slice.end; ++i) {
    const DeviceTile& tile = tiles_[static_cast<std::size_t>(i)];
    if (tile.bytes > 0) std::memcpy(out, streams_[static_cast<std::size_t>(i)], tile.bytes);
    const std::int64_t room = bus_room(tile.bytes);
    std::memset(out + tile.bytes, 0, static_cast<std::size_t>(room - tile.bytes));
    out += room;
  }
}

}  // namespace srcextract
