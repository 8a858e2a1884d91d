#pragma once

#include "io/fits_reader.hpp"

namespace srcextract {

/// True if the tiles of a compressed image, the current HDU of `reader`, hold integers that stand for floats.
bool has_quantised_floats(FitsReader& reader, const Hdu& hdu);

/// Throws Error{input} if the tiles of a compressed image, the current HDU of `reader`, are not what its header says.
/// CFITSIO believes the header and the lengths that it finds in a tile, and would write or read past the end of its
/// memory, or never return, where they are wrong.
void check_tiles(FitsReader& reader, const Hdu& hdu);

}  // namespace srcextract
