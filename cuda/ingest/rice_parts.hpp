#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/ingest/rice_images.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/rice_plane.hpp"

namespace srcextract {

/// Divides the compressed tiles of a plane into parts, and parts into slices. The tiles of a part are on the device at
/// one time. A slice is sent in one transfer. Has the offset of each tile's compressed bytes on the device.
class RiceParts {
 public:
  /// Tiles `begin` to end - 1, which are sent together. Their streams have `bytes` bytes and begin at byte `first` of
  /// the part's streams.
  struct Slice {
    std::int64_t begin, end;
    std::int64_t first, bytes;
  };
  /// Tiles `begin` to end - 1, which are on the device at the same time.
  struct Part {
    std::int64_t begin, end;
    std::int64_t bytes;  ///< bytes of their streams
    std::vector<Slice> slices;

    std::int64_t tiles() const { return end - begin; }
    std::int64_t table_bytes() const { return tiles() * static_cast<std::int64_t>(sizeof(DeviceTile)); }
  };

  /// Divides a plane. Returns nothing if the host should decode it: many tiles have another form, or the tiles are few
  /// and large. One device thread decodes a tile, so few large tiles would take longer than on the host. A part with
  /// its table takes at most `part_bytes` bytes, a slice at most `slice_bytes`.
  static std::optional<RiceParts> of(const RicePlane& plane, std::int64_t plane_width, std::int64_t slice_bytes,
                                     std::int64_t part_bytes, const Cpu& where);

  /// All tiles; those without a stream have 0 pixels.
  std::span<const DeviceTile> tiles() const { return tiles_; }
  /// Tiles that the host must decode, since they are stored in another form or known to be damaged.
  const std::vector<RiceTile>& others() const { return others_; }
  const std::vector<Part>& parts() const { return parts_; }

  /// Writes the streams of a slice to `out`, one after another.
  void write(const Slice& slice, std::byte* out) const;

 private:
  bool divide(std::int64_t slice_bytes, std::int64_t part_bytes);

  std::vector<DeviceTile> tiles_;
  std::vector<const std::byte*> streams_;
  std::vector<RiceTile> others_;
  std::vector<Part> parts_;
};

}  // namespace srcextract
