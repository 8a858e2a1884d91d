#include "io/tiles/tile_method.hpp"

#include <array>
#include <string>
#include <utility>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Values of ZCMPTYPE and the methods that they name; RICE_ONE is an older name of RICE_1.
constexpr std::array<std::pair<const char*, TileCodec>, 7> codecs{{{"RICE_1", TileCodec::rice},
                                                                   {"RICE_ONE", TileCodec::rice},
                                                                   {"GZIP_1", TileCodec::gzip_1},
                                                                   {"GZIP_2", TileCodec::gzip_2},
                                                                   {"PLIO_1", TileCodec::plio},
                                                                   {"HCOMPRESS_1", TileCodec::hcompress},
                                                                   {"NOCOMPRESS", TileCodec::none}}};

[[noreturn]] void refuse_method(const TileTable& table, const std::string& problem) {
  throw Error(ErrorKind::input, describe(table.hdu, table.path) + ": " + problem + "; fetch or make the file again");
}

TileCodec find_codec(const TileTable& table) {
  const std::string name = table.hdu.header->text("ZCMPTYPE").value_or("");
  for (const auto& [known, codec] : codecs) {
    if (name == known) return codec;
  }
  refuse_method(table, "ZCMPTYPE = '" + name + "' is no compression of FITS");
}

bool has_column_or_number(const TileTable& table, const std::string& name) {
  return find_column(table.columns, name) != nullptr || table.hdu.header->real(name);
}

/// Reads the parameters BLOCKSIZE and BYTEPIX of RICE_1. Some early files have the two values exchanged, or have
/// NOISEBIT as the second parameter. Throws Error{input} if a value is out of range.
void read_rice_parameters(const TileTable& table, TileMethod& method) {
  method.block = table.hdu.header->integer("ZVAL1").value_or(method.block);
  if (table.hdu.header->text("ZNAME2") != "NOISEBIT") {
    method.pixel_bytes = table.hdu.header->integer("ZVAL2").value_or(method.pixel_bytes);
  }
  if (method.block < 16 && method.pixel_bytes > 8) std::swap(method.block, method.pixel_bytes);
  if (method.block < 1 || method.block > 64) {
    refuse_method(
        table, "the blocks of RICE_1 have " + std::to_string(method.block) + " pixels (ZVAL1), where 1 to 64 can be");
  }
  if (method.pixel_bytes != 1 && method.pixel_bytes != 2 && method.pixel_bytes != 4) {
    refuse_method(table, "RICE_1 made integers of " + std::to_string(method.pixel_bytes) +
                             " bytes (ZVAL2), where 1, 2 and 4 can be");
  }
}

/// Reads the parameter SMOOTH of HCOMPRESS_1: a number in FITS, a logical value in files that astropy was told True
/// for.
bool is_smoothed(const Header& header) {
  const std::optional<KeywordValue> first = header.find("ZVAL2").value;
  if (first && std::holds_alternative<bool>(*first)) return header.logical("ZVAL2").value_or(false);
  return header.real("ZVAL2").value_or(0) != 0;
}

void check(const TileTable& table, const TileMethod& method, const std::string& quantisation) {
  const int bitpix = table.hdu.bitpix;
  const bool integers_alone =
      method.codec == TileCodec::rice || method.codec == TileCodec::plio || method.codec == TileCodec::hcompress;
  if (bitpix < 0 && !method.quantised && integers_alone) {
    refuse_method(table, "it is said to hold floats (ZBITPIX = " + std::to_string(bitpix) +
                             ") that are not quantised, but " + table.hdu.header->text("ZCMPTYPE").value_or("") +
                             " compresses integers alone; the header is damaged");
  }
  if (quantisation == "NONE" && (bitpix > 0 || method.quantised)) {
    refuse_method(table, "ZQUANTIZ = 'NONE' is for floats in the tiles, without ZSCALE; the header is damaged");
  }
  if (bitpix > 0 && has_column_or_number(table, "ZSCALE")) {
    refuse_method(table, "it has a ZSCALE, which integers (ZBITPIX = " + std::to_string(bitpix) + ") have not in FITS");
  }
  if (method.quantised && method.dither != Dither::none && (method.seed < 1 || method.seed > 10000)) {
    refuse_method(table,
                  "ZDITHER0 = " + std::to_string(method.seed) + ", where FITS has 1 to 10000; the header is damaged");
  }
}

}  // namespace

TileMethod read_tile_method(const TileTable& table) {
  TileMethod method;
  method.codec = find_codec(table);
  method.quantised = table.hdu.bitpix < 0 && has_column_or_number(table, "ZSCALE");
  const std::string quantisation = table.hdu.header->text("ZQUANTIZ").value_or("");
  if (quantisation == "SUBTRACTIVE_DITHER_1") method.dither = Dither::subtractive_1;
  if (quantisation == "SUBTRACTIVE_DITHER_2") method.dither = Dither::subtractive_2;
  method.seed = table.hdu.header->integer("ZDITHER0").value_or(method.seed);
  if (method.codec == TileCodec::rice) read_rice_parameters(table, method);
  if (method.codec == TileCodec::hcompress) method.smooth = is_smoothed(*table.hdu.header);
  // For unsigned 16-bit pixels, PLIO_1 stores the pixel values themselves. All other methods store the values minus
  // BZERO.
  constexpr std::int32_t unsigned_zero = 32768;
  if (method.codec == TileCodec::plio && table.hdu.bitpix == 16 && table.hdu.header->real("BZERO") == unsigned_zero) {
    method.offset = unsigned_zero;
  }
  check(table, method, quantisation);
  return method;
}

}  // namespace srcextract
