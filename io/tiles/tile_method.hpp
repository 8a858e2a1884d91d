#pragma once

#include <cstdint>

#include "io/tiles/quantised_floats.hpp"
#include "io/tiles/tile_columns.hpp"

namespace srcextract {

enum class TileCodec { none, rice, gzip_1, gzip_2, plio, hcompress };

/// Compression of an image's tiles (FITS Standard 4.0, 10.1.2).
struct TileMethod {
  TileCodec codec = TileCodec::none;         ///< ZCMPTYPE
  bool quantised = false;                    ///< tiles hold quantised floats
  Dither dither = Dither::none;              ///< dither of quantised floats
  std::int64_t seed = 1;                     ///< ZDITHER0
  std::int64_t block = 32, pixel_bytes = 4;  ///< BLOCKSIZE and BYTEPIX of RICE_1
  bool smooth = false;                       ///< SMOOTH of HCOMPRESS_1
  std::int32_t offset = 0;  ///< offset of PLIO_1, added before compression since it has no negative numbers
};

/// Throws Error{input} if the header contradicts itself, or names a method that is not in the standard.
TileMethod read_tile_method(const TileTable& table);

}  // namespace srcextract
