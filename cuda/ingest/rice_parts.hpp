#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/ingest/rice_images.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/rice_plane.hpp"

namespace srcextract {

/// Divides the compressed tiles of a plane into parts, and parts into slices. The tiles of a part are in device memory
/// at the same time; a slice is copied in one transfer. Sets DeviceTile::begin, the offset of each tile's compressed
/// bytes.
class RiceParts {
 public:
  /// Tiles `begin` to end - 1, which are copied in one transfer. The compressed streams of these tiles have `bytes`
  /// bytes in total, padding included, and begin at byte `first` of the part's streams.
  struct Slice {
    std::int64_t begin, end;
    std::int64_t first, bytes;
  };
  /// Tiles `begin` to end - 1, which are in device memory at the same time.
  struct Part {
    std::int64_t begin, end;
    std::int64_t bytes;  ///< total size of the tiles' streams in bytes, padding included
    std::vector<Slice> slices;

    std::int64_t tiles() const { return end - begin; }
    std::int64_t table_bytes() const { return tiles() * static_cast<std::int64_t>(sizeof(DeviceTile)); }
  };

  /// Divides a plane. A part, with the table of its tiles, has at most `part_bytes` bytes; a slice has at most
  /// `slice_bytes`. Returns nullopt if the host should decode the plane: many tiles have another form, there are few
  /// tiles, or a tile is too large. One device thread decodes a tile, so few or large tiles take longer than on the
  /// host.
  static std::optional<RiceParts> of(const RicePlane& plane, std::int64_t plane_width, std::int64_t slice_bytes,
                                     std::int64_t part_bytes, const Cpu& where);

  /// Returns all tiles. Tiles that the host must decode have 0 pixels.
  std::span<const DeviceTile> tiles() const { return tiles_; }
  /// Returns the tiles that the host must decode: their streams are empty, since they are stored in another form or
  /// known to be damaged.
  const std::vector<RiceTile>& others() const { return others_; }
  const std::vector<Part>& parts() const { return parts_; }

  /// Writes the compressed streams of a slice to `out`, each padded to a multiple of bus_alignment bytes.
  void write(const Slice& slice, std::byte* out) const;

 private:
  bool divide(std::int64_t slice_bytes, std::int64_t part_bytes);

  std::vector<DeviceTile> tiles_;
  std::vector<const std::byte*> streams_;
  std::vector<RiceTile> others_;
  std::vector<Part> parts_;
};

}  // namespace srcextract
