#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/tiles/cfitsio_tiles.hpp"
#include "io/tiles/quantised_floats.hpp"
#include "io/tiles/tile_columns.hpp"
#include "io/tiles/tile_grid.hpp"
#include "io/tiles/tile_method.hpp"

namespace srcextract {

/// Decodes the tiles of a compressed image, whichever is asked for: those of RICE_1 itself, others through CFITSIO.
/// That believes the header and the lengths that it finds in a tile, and would write or read past the end of its
/// memory, or never return, where they are wrong: it is given only what has been checked.
class TileDecoder {
 public:
  /// The arguments are as CfitsioTiles has them. Throws Error{input} if the header is not that of a compressed image,
  /// or contradicts itself.
  TileDecoder(std::span<const std::byte> records, std::string path, const Hdu& hdu);

  const TileGrid& grid() const { return grid_; }
  const Hdu& hdu() const { return cfitsio_.hdu(); }

  /// False if the tile is so damaged that it must not be decoded, nor memory found for as many pixels. This and the
  /// following may be called from several threads at once.
  bool can_be_decoded(std::int64_t tile) const;

  /// Writes all pixels of a tile that can_be_decoded() to `out`, unscaled and in native byte order; a null pixel of a
  /// floating-point image is NaN. False if it is damaged.
  bool decode(std::int64_t tile, std::byte* out);

 private:
  bool decode_rice_tile(std::int64_t tile, std::byte* out) const;
  bool can_be_compressed(std::int64_t tile) const;
  Quantisation quantisation(std::int64_t tile) const;

  CfitsioTiles cfitsio_;
  TileMethod method_;
  TileGrid grid_;
  StreamColumn compressed_, gzipped_, plain_;
  TileNumbers<double> scale_, zero_;
  TileNumbers<int> blank_;
  bool rice_is_ours_;
};

}  // namespace srcextract
