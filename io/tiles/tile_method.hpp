#pragma once

#include <cstdint>

#include "io/tiles/quantised_floats.hpp"
#include "io/tiles/tile_columns.hpp"

namespace srcextract {

enum class TileCodec { none, rice, gzip_1, gzip_2, plio, hcompress };

/// Method and parameters with which the tiles of an image are compressed (FITS Standard 4.0, 10.1.2).
struct TileMethod {
  TileCodec codec = TileCodec::none;         ///< ZCMPTYPE
  bool quantised = false;                    ///< true if tiles hold floats quantised to integers
  Dither dither = Dither::none;              ///< dither that was added before quantisation
  std::int64_t seed = 1;                     ///< ZDITHER0
  std::int64_t block = 32, pixel_bytes = 4;  ///< BLOCKSIZE and BYTEPIX of RICE_1
  bool smooth = false;                       ///< SMOOTH of HCOMPRESS_1
  std::int32_t offset = 0;  ///< subtracted from the decoded integers of PLIO_1, which stores no negative numbers
};

/// Throws Error{input} if the header contradicts itself, or names a method that is not in the FITS Standard.
TileMethod read_tile_method(const TileTable& table);

}  // namespace srcextract
