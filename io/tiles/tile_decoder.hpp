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

/// Decodes the tiles of a compressed image, whichever is asked for. What it makes of a tile, or that it makes nothing
/// of it, follows from the bytes alone.
class TileDecoder {
 public:
  /// The data of the table must outlive this. Throws Error{input} if the header is not that of a compressed image, or
  /// contradicts itself, or if tiles share so much of the data that these would stand for many times as many.
  explicit TileDecoder(const TileTable& table);

  const TileGrid& grid() const { return grid_; }

  /// False if the tile is so damaged that no memory need be found for as many pixels. This and the following may be
  /// called from several threads at once.
  bool can_be_decoded(std::int64_t tile) const;

  /// Writes all pixels of a tile that can_be_decoded() to `out`, unscaled and in native byte order; a null pixel of a
  /// floating-point image is NaN. False if it is damaged.
  bool decode(std::int64_t tile, std::byte* out) const;

  /// Tiles are decoded fastest so many at a time; most_tiles_together at most.
  std::size_t together() const;

  /// decode() of several tiles, each to an `out` of its own. False if one is damaged; then nothing is known of the
  /// others.
  bool decode(std::span<const std::int64_t> tiles, std::span<std::byte* const> out) const;

  /// How its tiles are to be decoded, but for these themselves, if RICE_1 compressed them; else nothing.
  std::optional<RicePlane> rice() const;

  /// One of these, but for its place in a plane; without a stream if it stands in another column or cannot be decoded.
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
