#pragma once

#include "io/fits_reader.hpp"

namespace srcextract {

/// Throws Error{input} if the tiles of a compressed image, the current HDU of `reader`, are not what its header says.
/// CFITSIO believes the lengths that it finds in a tile, and would write or read past the end of its memory, or never
/// return, where they are wrong.
void check_tiles(FitsReader& reader, const Hdu& hdu, const InputFile& file);

}  // namespace srcextract
