#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/ingest/rice_images.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/rice_plane.hpp"

namespace srcextract {

/// The tiles of a plane in the order in which they go to the device, and the places of their streams there.
class RiceParts {
 public:
  /// Tiles [begin, end) that are sent together. Their streams have `bytes` bytes, from byte `first` of the part's
  /// streams on.
  struct Slice {
    std::int64_t begin, end;
    std::int64_t first, bytes;
  };
  /// Tiles [begin, end) that lie on the device together.
  struct Part {
    std::int64_t begin, end;
    std::int64_t bytes;  ///< bytes of their streams
    std::vector<Slice> slices;

    std::int64_t tiles() const { return end - begin; }
    std::int64_t table_bytes() const { return tiles() * static_cast<std::int64_t>(sizeof(DeviceTile)); }
  };

  /// Nothing if the host should decode the plane: many tiles have another form, or the tiles are few and large. The
  /// device decodes a tile by one thread, so few large tiles would take longer than on the host. A part with its table
  /// takes at most `part_bytes` bytes, a slice at most `slice_bytes`.
  static std::optional<RiceParts> of(const RicePlane& plane, std::int64_t plane_width, std::int64_t slice_bytes,
                                     std::int64_t part_bytes, const Cpu& where);

  /// All tiles; tiles without a stream have no pixels.
  std::span<const DeviceTile> tiles() const { return tiles_; }
  /// Tiles that the host must read: their form is another, or they are known to be damaged.
  const std::vector<RiceTile>& others() const { return others_; }
  const std::vector<Part>& parts() const { return parts_; }

  /// Writes the streams of a slice one after another.
  void write(const Slice& slice, std::byte* out) const;

 private:
  bool divide(std::int64_t slice_bytes, std::int64_t part_bytes);

  std::vector<DeviceTile> tiles_;
  std::vector<const std::byte*> streams_;
  std::vector<RiceTile> others_;
  std::vector<Part> parts_;
};

}  // namespace srcextract
