#include "io/tile_check.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/tile_streams.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// How the pixels of an image of any number of axes are divided into tiles, one in each row of the table.
class Tiling {
 public:
  Tiling(FitsReader& reader, const Hdu& hdu) {
    for (std::size_t axis = 0; axis < hdu.axes.size(); ++axis) {
      const std::int64_t whole = axis == 0 ? hdu.axes[0] : 1;
      const std::int64_t tile = reader.integer("ZTILE" + std::to_string(axis + 1)).value_or(whole);
      axes_.push_back({hdu.axes[axis], tile, (hdu.axes[axis] - 1) / tile + 1});
      possible_ &= !__builtin_mul_overflow(rows_, axes_.back().tiles, &rows_);
      // CFITSIO counts the pixels of a tile in 32 bits.
      possible_ &=
          !__builtin_mul_overflow(largest_, tile, &largest_) && largest_ <= std::numeric_limits<std::int32_t>::max();
    }
  }

  bool possible() const { return possible_; }
  std::int64_t rows() const { return rows_; }

  /// Pixels of the tile in row `row` (from 0); those at the upper edges of the image are smaller.
  std::int64_t pixels(std::int64_t row) const {
    std::int64_t pixels = 1;
    for (const Axis& axis : axes_) {
      const std::int64_t begin = row % axis.tiles * axis.tile;
      pixels *= std::min(axis.tile, axis.length - begin);
      row /= axis.tiles;
    }
    return pixels;
  }

 private:
  struct Axis {
    std::int64_t length, tile, tiles;
  };
  std::vector<Axis> axes_;
  std::int64_t rows_ = 1, largest_ = 1;
  bool possible_ = true;
};

/// A column of the table whose rows are byte streams in the heap.
class StreamColumn {
 public:
  StreamColumn(FitsReader& reader, const Hdu& hdu, std::string name) : reader_(reader) {
    int missing = 0, status = 0;
    fits_get_colnum(reader.get(), CASEINSEN, name.data(), &column_, &missing);
    fits_clear_errmsg();
    if (missing) {
      column_ = 0;
      return;
    }
    fits_get_coltype(reader.get(), column_, &type_, nullptr, nullptr, &status);
    reader.check(status, "find the type of " + name);
    const std::int64_t table = reader.integer("NAXIS1").value_or(0) * reader.integer("NAXIS2").value_or(0);
    const std::int64_t heap = std::clamp<std::int64_t>(reader.integer("THEAP").value_or(table), 0, hdu.data_bytes);
    heap_ = reader.records().subspan(static_cast<std::size_t>(hdu.data_begin + heap),
                                     static_cast<std::size_t>(hdu.data_bytes - heap));
  }

  /// CFITSIO's code of the type of the elements.
  int type() const { return -type_; }

  /// Elements in row `row` (from 0).
  std::int64_t length(std::int64_t row) const { return describe(row).length; }

  /// The bytes of row `row`; none if they are not inside the heap.
  std::span<const std::byte> stream(std::int64_t row) const {
    const auto [length, offset] = describe(row);
    const std::int64_t width = type() == TSHORT ? 2 : 1;
    if (length < 0 || offset < 0 || length > std::ssize(heap_) || offset > std::ssize(heap_) - length * width)
      return {};
    return heap_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length * width));
  }

 private:
  struct Descriptor {
    LONGLONG length = 0, offset = 0;
  };

  Descriptor describe(std::int64_t row) const {
    Descriptor found;
    if (column_ == 0) return found;
    int status = 0;
    fits_read_descriptll(reader_.get(), column_, row + 1, &found.length, &found.offset, &status);
    reader_.check(status, "find tile " + std::to_string(row));
    return found;
  }

  FitsReader& reader_;
  std::span<const std::byte> heap_;
  int column_ = 0, type_ = 0;
};

/// How the image is compressed.
struct Method {
  Method(FitsReader& reader, const Hdu& hdu) : quantised(has_quantised_floats(reader, hdu)) {
    char text[FLEN_VALUE] = "", name2[FLEN_VALUE] = "";
    int status = 0, missing = 0;
    fits_read_key_str(reader.get(), "ZCMPTYPE", text, nullptr, &status);
    reader.check(status, "find the compression method");
    name = text;
    fits_read_key_str(reader.get(), "ZQUANTIZ", text, nullptr, &missing);
    if (missing == 0) quantisation = text;
    missing = 0;
    if (!name.starts_with("RICE")) return;
    // As CFITSIO does, with the quirks of the first files of this kind.
    rice.block = reader.integer("ZVAL1").value_or(rice.block);
    fits_read_key_str(reader.get(), "ZNAME2", name2, nullptr, &missing);
    if (name2 != std::string_view("NOISEBIT")) rice.pixel_bytes = reader.integer("ZVAL2").value_or(rice.pixel_bytes);
    if (rice.block < 16 && rice.pixel_bytes > 8) std::swap(rice.block, rice.pixel_bytes);
  }

  bool gzip() const { return name.starts_with("GZIP"); }

  bool quantised;
  std::string name, quantisation;
  RiceParameters rice;
};

/// What in the header of the image would make CFITSIO read past the end of its memory; empty if nothing would.
std::string contradiction(FitsReader& reader, const Hdu& hdu, const Method& method) {
  const bool lossless_floats = hdu.bitpix < 0 && !method.quantised;
  if (lossless_floats && !method.gzip() && method.name != "NOCOMPRESS") {
    return "it is said to hold floats (ZBITPIX = " + std::to_string(hdu.bitpix) + ") that are not quantised, but " +
           method.name + " compresses integers alone; the header is damaged";
  }
  if (method.quantisation == "NONE" && !lossless_floats) {
    return "ZQUANTIZ = 'NONE' is for floats in the tiles, without ZSCALE; CFITSIO would take the integers in these for "
           "floats";
  }
  const std::int64_t seed = reader.integer("ZDITHER0").value_or(1);
  if (method.quantised && method.quantisation.starts_with("SUBTRACTIVE_DITHER") && (seed < 1 || seed > 10000)) {
    return "ZDITHER0 = " + std::to_string(seed) + ", where FITS has 1 to 10000; the header is damaged";
  }
  return "";
}

bool is_tile(const StreamColumn& column, std::int64_t row, std::int64_t pixels, const Method& method, int bitpix) {
  const std::span<const std::byte> stream = column.stream(row);
  if (stream.empty() || column.type() != (method.name == "PLIO_1" ? TSHORT : TBYTE)) return false;
  if (method.name.starts_with("RICE")) return is_rice_tile(stream, pixels, method.rice);
  if (method.name == "HCOMPRESS_1") return is_hcompress_tile(stream, pixels);
  if (method.name == "PLIO_1") return is_plio_tile(stream);
  if (bitpix > 0) return is_gzip_tile(stream, pixels, {1, 2, 4});
  return is_gzip_tile(stream, pixels, {method.quantised ? 4 : -bitpix / 8});
}

}  // namespace

bool has_quantised_floats(FitsReader& reader, const Hdu& hdu) {
  std::string scale = "ZSCALE";
  int column = 0, missing = 0;
  fits_get_colnum(reader.get(), CASEINSEN, scale.data(), &column, &missing);
  return hdu.bitpix < 0 && (!missing || reader.real(scale));
}

void check_tiles(FitsReader& reader, const Hdu& hdu) {
  const auto fail = [&](const std::string& problem) {
    throw Error(ErrorKind::input, describe(hdu, reader.path()) + ": " + problem + "; fetch or make the file again");
  };
  const Method method(reader, hdu);
  if (const std::string problem = contradiction(reader, hdu, method); !problem.empty()) fail(problem);
  const Tiling tiling(reader, hdu);
  if (!tiling.possible()) fail("its tiles have more pixels than CFITSIO can decode");
  if (tiling.rows() != reader.integer("NAXIS2")) fail("it has not as many tiles as the image needs");

  const StreamColumn compressed(reader, hdu, "COMPRESSED_DATA");
  const StreamColumn gzipped(reader, hdu, "GZIP_COMPRESSED_DATA");
  const StreamColumn plain(reader, hdu, "UNCOMPRESSED_DATA");
  for (std::int64_t row = 0; row < tiling.rows(); ++row) {
    // A tile that its method cannot compress stands in another column.
    const std::int64_t pixels = tiling.pixels(row);
    const bool good = compressed.length(row) != 0 ? is_tile(compressed, row, pixels, method, hdu.bitpix)
                      : plain.length(row) != 0    ? plain.length(row) == pixels
                      : hdu.bitpix < 0            ? is_gzip_tile(gzipped.stream(row), pixels, {-hdu.bitpix / 8})
                                                  : false;
    if (!good) fail("tile " + std::to_string(row) + " of the compressed image is damaged");
  }
}

}  // namespace srcextract
