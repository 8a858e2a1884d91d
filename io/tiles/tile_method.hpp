#pragma once

#include <cstdint>
#include <string>

#include "io/fits/fits_reader.hpp"
#include "io/tiles/quantised_floats.hpp"

namespace srcextract {

/// How the tiles of an image are compressed (FITS Standard 4.0, 10.1.2).
struct TileMethod {
  std::string name;                          ///< ZCMPTYPE
  bool quantised = false;                    ///< the tiles hold integers that stand for floats
  Dither dither = Dither::none;              ///< of these
  std::int64_t seed = 1;                     ///< ZDITHER0
  std::int64_t block = 32, pixel_bytes = 4;  ///< of RICE_1: BLOCKSIZE and BYTEPIX

  bool rice() const { return name.starts_with("RICE"); }
  bool gzip() const { return name.starts_with("GZIP"); }
};

/// Of the current HDU of `reader`. Throws Error{input} if what the header says would make CFITSIO read past the end of
/// its memory.
TileMethod read_tile_method(FitsReader& reader, const Hdu& hdu);

}  // namespace srcextract
