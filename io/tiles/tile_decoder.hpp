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

/// Decodes tiles of a compressed image, in any order. The result, or failure, depends only on the bytes of the tile.
class TileDecoder {
 public:
  /// The table's data must outlive the decoder. Throws Error{input} if the header is not one of a compressed image or
  /// contradicts itself. Throws it too if tiles share so much data that they would stand for many times as many bytes.
  explicit TileDecoder(const TileTable& table);

  const TileGrid& grid() const { return grid_; }

  /// False if the tile is certainly damaged, so that it needs no memory. This and the following functions are safe to
  /// call from several threads.
  bool can_be_decoded(std::int64_t tile) const;

  /// Writes all pixels of a tile to `out`, unscaled and in native byte order. Requires can_be_decoded(). A null pixel
  /// of a floating-point image is NaN. False if the tile is damaged.
  bool decode(std::int64_t tile, std::byte* out) const;

  /// Number of tiles that are fastest decoded together, at most most_tiles_together.
  std::size_t together() const;

  /// Decodes several tiles, each to its own `out`. False if a tile is damaged; the others are then undefined.
  bool decode(std::span<const std::int64_t> tiles, std::span<std::byte* const> out) const;

  /// Parameters of RICE_1 for all tiles; nothing for other methods.
  std::optional<RicePlane> rice() const;

  /// The RICE_1 data of a tile, without its place in a plane. The stream is empty if the tile is in another column or
  /// cannot be decoded.
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
  Quantisation quantisation(std::int64_t tile) const;

  int bitpix_;
  TileMethod method_;
  TileGrid grid_;
  StreamColumn compressed_, gzipped_, plain_;
  TileNumbers<double> scale_, zero_;
  TileNumbers<int> blank_;
};

}  // namespace srcextract
