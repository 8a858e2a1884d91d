#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/ingest/rice_images.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/rice_plane.hpp"

namespace srcextract {

/// The tiles of a plane in the order in which they go to the device, and where their streams are to be there.
class RiceParts {
 public:
  /// Tiles [begin, end) that are sent at once: their streams, `bytes` in all, from byte `first` of the part's on.
  struct Slice {
    std::int64_t begin, end;
    std::int64_t first, bytes;
  };
  /// Tiles [begin, end) that are on the device at once.
  struct Part {
    std::int64_t begin, end;
    std::int64_t bytes;  ///< of their streams
    std::vector<Slice> slices;

    std::int64_t tiles() const { return end - begin; }
    std::int64_t table_bytes() const { return tiles() * static_cast<std::int64_t>(sizeof(DeviceTile)); }
  };

  /// Nothing if the device is not to decode them: many stand there in another form, or they are so few and large that
  /// the device, which decodes each by one thread, would take longer than the host. A part with its table takes no more
  /// than `part_bytes`, a slice no more than `slice_bytes`.
  static std::optional<RiceParts> of(const RicePlane& plane, std::int64_t plane_width, std::int64_t slice_bytes,
                                     std::int64_t part_bytes, const Cpu& where);

  /// Those without a stream have no pixels.
  std::span<const DeviceTile> tiles() const { return tiles_; }
  /// Tiles that stand there in another form, or are known to be damaged: the host is to read them.
  const std::vector<RiceTile>& others() const { return others_; }
  const std::vector<Part>& parts() const { return parts_; }

  /// Writes the streams of a slice one after the other.
  void write(const Slice& slice, std::byte* out) const;

 private:
  bool divide(std::int64_t slice_bytes, std::int64_t part_bytes);

  std::vector<DeviceTile> tiles_;
  std::vector<const std::byte*> streams_;
  std::vector<RiceTile> others_;
  std::vector<Part> parts_;
};

}  // namespace srcextract
