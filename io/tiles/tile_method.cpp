#include "io/tiles/tile_method.hpp"

#include <utility>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Empty if there is no such keyword.
std::string text_of(FitsReader& reader, const char* keyword) {
  char text[FLEN_VALUE] = "";
  int missing = 0;
  fits_read_key_str(reader.get(), keyword, text, nullptr, &missing);
  fits_clear_errmsg();
  return missing ? "" : text;
}

bool has_column_or_keyword(FitsReader& reader, std::string name) {
  int column = 0, missing = 0;
  fits_get_colnum(reader.get(), CASEINSEN, name.data(), &column, &missing);
  fits_clear_errmsg();
  return !missing || reader.real(name);
}

/// As CFITSIO does, with the quirks of the first files of this kind.
void read_rice_parameters(FitsReader& reader, TileMethod& method) {
  method.block = reader.integer("ZVAL1").value_or(method.block);
  if (text_of(reader, "ZNAME2") != "NOISEBIT") {
    method.pixel_bytes = reader.integer("ZVAL2").value_or(method.pixel_bytes);
  }
  if (method.block < 16 && method.pixel_bytes > 8) std::swap(method.block, method.pixel_bytes);
}

std::string contradiction(const TileMethod& method, const std::string& quantisation, int bitpix) {
  const bool lossless_floats = bitpix < 0 && !method.quantised;
  if (lossless_floats && !method.gzip() && method.name != "NOCOMPRESS") {
    return "it is said to hold floats (ZBITPIX = " + std::to_string(bitpix) + ") that are not quantised, but " +
           method.name + " compresses integers alone; the header is damaged";
  }
  if (quantisation == "NONE" && !lossless_floats) {
    return "ZQUANTIZ = 'NONE' is for floats in the tiles, without ZSCALE; CFITSIO would take the integers in these for "
           "floats";
  }
  if (method.quantised && method.dither != Dither::none && (method.seed < 1 || method.seed > 10000)) {
    return "ZDITHER0 = " + std::to_string(method.seed) + ", where FITS has 1 to 10000; the header is damaged";
  }
  return "";
}

}  // namespace

TileMethod read_tile_method(FitsReader& reader, const Hdu& hdu) {
  TileMethod method;
  method.name = text_of(reader, "ZCMPTYPE");
  method.quantised = hdu.bitpix < 0 && has_column_or_keyword(reader, "ZSCALE");
  const std::string quantisation = text_of(reader, "ZQUANTIZ");
  if (quantisation == "SUBTRACTIVE_DITHER_1") method.dither = Dither::subtractive_1;
  if (quantisation == "SUBTRACTIVE_DITHER_2") method.dither = Dither::subtractive_2;
  method.seed = reader.integer("ZDITHER0").value_or(method.seed);
  if (method.rice()) read_rice_parameters(reader, method);
  if (const std::string problem = contradiction(method, quantisation, hdu.bitpix); !problem.empty()) {
    throw Error(ErrorKind::input, describe(hdu, reader.path()) + ": " + problem + "; fetch or make the file again");
  }
  return method;
}

}  // namespace srcextract
