#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/tiles/tile_decoder.hpp"
#include "stages/core/buffer.hpp"

namespace srcextract {

/// Reads pixels of a tile-compressed image, which the calling threads decode.
class TileReader {
 public:
  /// Reads the data unit into memory. Throws Error{input} if the header is invalid, or has changed in the file since
  /// `hdu` was read. Throws Error{memory} if there is not enough memory.
  TileReader(const InputFile& file, const Hdu& hdu);

  /// Copies pixels [first, first + count) of plane `plane` (from 0) to `out`, unscaled and in native byte order. A null
  /// pixel of a floating-point image becomes NaN. Several threads may call read() at once. If each pixel is requested
  /// once, each tile is decoded once for each plane that it reaches. Throws Error{input} if a tile is damaged, with the
  /// same message for every request.
  void read(std::int64_t plane, std::int64_t first, std::int64_t count, std::byte* out);

  /// Drops the decoded tiles of plane `plane` (from 0) that requests so far covered only in part.
  void forget_reads(std::int64_t plane);

  /// Returns access to the compressed tiles of plane `plane` (from 0), without decoding. Returns nothing unless the
  /// tiles are compressed with RICE_1 and no tile spans several planes.
  std::optional<RicePlane> rice_plane(std::int64_t plane) const;

  std::int64_t tile_height() const { return decoder_.grid().tile_height(); }

  /// Bytes of the data unit as stored, padded to whole FITS records.
  std::span<const std::byte> data() const;

 private:
  struct Request;
  struct SharedTile;
  using Key = std::pair<std::int64_t, std::int64_t>;  ///< plane (from 0) and tile number of a shared tile

  bool serve(const PlaneTile& tile, const Request& request, bool wait);
  void serve_whole(std::span<const PlaneTile> tiles, const Request& request);
  std::unique_ptr<std::byte[]> memory_for_tiles(std::int64_t bytes) const;
  std::shared_ptr<SharedTile> share(const PlaneTile& tile, const Key& key);
  std::unique_ptr<std::byte[]> decode_in_plane(const PlaneTile& tile);
  std::unique_ptr<std::byte[]> decode(std::int64_t tile);
  std::unique_ptr<std::byte[]> decode_unless_damaged(std::int64_t tile);
  [[noreturn]] void fail_on_damage();

  std::string path_;
  Hdu hdu_;
  Buffer<std::byte, Cpu> data_;  ///< data unit, padded to whole FITS records
  TileDecoder decoder_;
  std::int64_t pixel_bytes_;
  std::mutex mutex_;                                   ///< guards shared_
  std::map<Key, std::shared_ptr<SharedTile>> shared_;  ///< decoded tiles that requests cover only in part
};

}  // namespace srcextract
