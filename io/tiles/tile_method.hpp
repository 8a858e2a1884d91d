#pragma once

#include <cstdint>

#include "io/tiles/quantised_floats.hpp"
#include "io/tiles/tile_columns.hpp"

namespace srcextract {

enum class TileCodec { none, rice, gzip_1, gzip_2, plio, hcompress };

/// How the tiles of an image are compressed (FITS Standard 4.0, 10.1.2).
struct TileMethod {
  TileCodec codec = TileCodec::none;         ///< ZCMPTYPE
  bool quantised = false;                    ///< the tiles hold integers that stand for floats
  Dither dither = Dither::none;              ///< of these
  std::int64_t seed = 1;                     ///< ZDITHER0
  std::int64_t block = 32, pixel_bytes = 4;  ///< of RICE_1: BLOCKSIZE and BYTEPIX
  bool smooth = false;                       ///< of HCOMPRESS_1: SMOOTH
  std::int32_t offset = 0;                   ///< of PLIO_1, which has no negative numbers: added before
};

/// Throws Error{input} if the header contradicts itself, or names a method that is not in the standard.
TileMethod read_tile_method(const TileTable& table);

}  // namespace srcextract
