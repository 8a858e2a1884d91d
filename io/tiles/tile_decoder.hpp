#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "io/tiles/quantised_floats.hpp"
#include "io/tiles/rice.hpp"
#include "io/tiles/tile_columns.hpp"
#include "io/tiles/tile_grid.hpp"
#include "io/tiles/tile_method.hpp"
#include "stages/core/rice_plane.hpp"

namespace srcextract {

/// Decodes tiles of a compressed image, in any order. Whether a tile can be decoded, and to which pixels, depends only
/// on the bytes of that tile.
class TileDecoder {
 public:
  /// The table's data must outlive the decoder. Throws Error{input} if the header is not that of a compressed image or
  /// contradicts itself. Also throws if tiles share streams so much that all streams together are longer than twice the
  /// data and 1 MiB.
  explicit TileDecoder(const TileTable& table);

  const TileGrid& grid() const { return grid_; }

  /// Returns false if the tile (from 0) is certainly damaged, so that callers need not allocate memory for it. Several
  /// threads may call this function and the following functions at once.
  bool can_be_decoded(std::int64_t tile) const;

  /// Writes all pixels of a tile to `out`, unscaled and in native byte order. Requires can_be_decoded(). A null pixel
  /// of a floating-point image becomes NaN. Returns false if the tile is damaged.
  bool decode(std::int64_t tile, std::byte* out) const;

  /// Number of tiles that callers should decode in one call, at most most_tiles_together; 1 if that saves no time.
  std::size_t together() const;

  /// Decodes several tiles, each to its own element of `out`. Returns false if any tile is damaged; all pixels are then
  /// undefined.
  bool decode(std::span<const std::int64_t> tiles, std::span<std::byte* const> out) const;

  /// Returns the parameters of RICE_1, which are the same for all tiles; nothing if the image has another compression.
  std::optional<RicePlane> rice() const;

  /// Returns the RICE_1 stream of a tile and its quantisation; position and size of the tile are not set. The stream is
  /// empty if the tile is damaged or is not stored with RICE_1.
  RiceTile rice_tile(std::int64_t tile) const;

 private:
  template <class Pixel>
  bool decode_as(std::int64_t tile, std::span<Pixel> pixels) const;
  template <class Pixel>
  bool decode_gzip(std::int64_t tile, std::span<const std::byte> stream, std::span<Pixel> pixels) const;
  template <class Pixel>
  bool load_uncompressed(std::int64_t tile, std::span<Pixel> pixels) const;
  template <class Integer, class Pixel>
  bool finish(std::int64_t tile, std::span<const Integer> integers, std::span<Pixel> pixels) const;
  template <class Integer, class Pixel>
  bool decode_side_by_side(std::span<const std::int64_t> tiles, std::span<std::byte* const> out) const;
  template <class Integer>
  bool decode_integers(std::span<const std::byte> stream, std::span<Integer> integers) const;
  void check_streams(const TileTable& table) const;
  std::span<const std::byte> stream(std::int64_t tile) const;
  bool can_be_compressed(std::int64_t tile) const;
  std::int64_t plain_bytes(std::span<const std::byte> stream, std::int64_t pixels) const;
  template <class Pixel>
  bool load_numbers(std::int64_t tile, const std::byte* bytes, std::int64_t pixel_bytes, std::span<Pixel> pixels) const;
  Quantisation quantisation(std::int64_t tile) const;

  int bitpix_;
  TileMethod method_;
  TileGrid grid_;
  StreamColumn compressed_, gzipped_, plain_;
  TileNumbers<double> scale_, zero_;
  TileNumbers<int> blank_;
};

}  // namespace srcextract
