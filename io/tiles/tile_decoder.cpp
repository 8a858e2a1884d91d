#include "io/tiles/tile_decoder.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "io/files/big_endian.hpp"
#include "io/tiles/gzip_tile.hpp"
#include "io/tiles/hcompress.hpp"
#include "io/tiles/plio.hpp"
#include "io/tiles/rice.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Calls f with a number of `bytes` bytes (std::uint8_t, std::int16_t or std::int32_t), whose type f uses, and returns
/// the result of f.
template <class F>
bool with_integer_type(std::int64_t bytes, F&& f) {
  if (bytes == 1) return f(std::uint8_t{});
  if (bytes == 2) return f(std::int16_t{});
  return f(std::int32_t{});
}

template <class F>
bool with_pixel_type(int bitpix, F&& f) {
  switch (bitpix) {
    case 8:
      return f(std::uint8_t{});
    case 16:
      return f(std::int16_t{});
    case 32:
      return f(std::int32_t{});
    case -32:
      return f(float{});
    default:
      return f(double{});
  }
}

/// Converts decoded integers to the pixel type. Returns false if any integer is out of the range of that type.
template <class Integer, class Pixel>
bool convert(std::span<const Integer> integers, Pixel* pixels) {
  bool fits = true;
  for (const Integer integer : integers) {
    fits &= std::in_range<Pixel>(integer);
    *pixels++ = static_cast<Pixel>(integer);
  }
  return fits;
}

/// Clamps integers to the range of the pixel type, since lossy compression can yield integers outside.
template <class Pixel>
void bring_into_range(std::span<std::int32_t> integers) {
  for (std::int32_t& integer : integers) {
    integer = std::clamp<std::int32_t>(integer, std::numeric_limits<Pixel>::min(), std::numeric_limits<Pixel>::max());
  }
}

/// Replaces every NaN by the same NaN, so that all null pixels have the same bits.
template <class T>
void unite_nans(std::span<T> values) {
  for (T& value : values) value = value != value ? std::numeric_limits<T>::quiet_NaN() : value;
}

template <class T>
void load_all(const std::byte* bytes, std::span<T> out) {
  if constexpr (sizeof(T) == 1) {
    for (T& value : out) value = static_cast<T>(*bytes++);
  } else {
    for (T& value : out) {
      value = load_big_endian<T>(bytes);
      bytes += sizeof(T);
    }
  }
}

constexpr char letter_of(int bitpix) {
  return bitpix == 8 ? 'B' : bitpix == 16 ? 'I' : bitpix == 32 ? 'J' : bitpix == -32 ? 'E' : 'D';
}

template <class Integer>
std::unique_ptr<Integer[]> make_integers(std::size_t count) {
  return std::make_unique_for_overwrite<Integer[]>(count);
}

}  // namespace

TileDecoder::TileDecoder(const TileTable& table)
    : bitpix_(table.hdu.bitpix),
      method_(read_tile_method(table)),
      grid_(table),
      compressed_(table, "COMPRESSED_DATA"),
      gzipped_(table, "GZIP_COMPRESSED_DATA"),
      plain_(table, "UNCOMPRESSED_DATA"),
      scale_(table, "ZSCALE"),
      zero_(table, "ZZERO"),
      blank_(table, "ZBLANK") {
  if (blank_.missing()) blank_ = TileNumbers<int>(table, "BLANK");  // as CFITSIO does
  if (method_.quantised && (zero_.missing() || scale_.in_column() != zero_.in_column())) {
    throw Error(ErrorKind::input, describe(table.hdu, table.path) +
                                      ": ZSCALE and ZZERO are not both columns or both keywords; the header is "
                                      "damaged; fetch or make the file again");
  }
  check_streams(table);
}

std::span<const std::byte> TileDecoder::stream(std::int64_t tile) const {
  return compressed_.length(tile) != 0 ? compressed_.stream(tile)
         : plain_.length(tile) != 0    ? plain_.stream(tile)
                                       : gzipped_.stream(tile);
}

// Throws Error{input} if the streams of all tiles together are much longer than the data unit. Equal tiles may share a
// stream. But if all rows pointed to one stream, a small file would take as long to decode as a huge one.
void TileDecoder::check_streams(const TileTable& table) const {
  constexpr std::int64_t in_common = std::int64_t{1} << 20;
  const std::int64_t there = std::ssize(table.data), most = 2 * there + in_common;
  std::int64_t told = 0;
  for (std::int64_t tile = 0; tile < grid_.tiles() && told <= most; ++tile) told += std::ssize(stream(tile));
  if (told <= most) return;
  throw Error(ErrorKind::input, describe(table.hdu, table.path) + ": its tiles have more than " + std::to_string(most) +
                                    " compressed bytes by what their table says, in data of " + std::to_string(there) +
                                    "; it is damaged; fetch or make the file again");
}

Quantisation TileDecoder::quantisation(std::int64_t tile) const {
  if (!method_.quantised) return {};
  Quantisation how{.scale = scale_.of(tile),
                   .zero = zero_.of(tile),
                   .dither = method_.dither,
                   .random_begin = tile + method_.seed - 1};
  if (!blank_.missing()) how.blank = blank_.of(tile);
  return how;
}

/// Returns the bytes per pixel of a stream that is not compressed (NOCOMPRESS), or 0 if the stream cannot be such
/// pixels.
std::int64_t TileDecoder::plain_bytes(std::span<const std::byte> stream, std::int64_t pixels) const {
  const std::int64_t bytes = pixels > 0 && std::ssize(stream) % pixels == 0 ? std::ssize(stream) / pixels : 0;
  if (method_.quantised) return bytes == 4 ? bytes : 0;
  const bool is_integer = bytes == 1 || bytes == 2 || bytes == 4;
  return bytes == std::abs(bitpix_) / 8 || (bitpix_ > 0 && is_integer) ? bytes : 0;
}

/// Returns true if the tile's stream may be valid: its type fits the compression, and it is long enough.
bool TileDecoder::can_be_compressed(std::int64_t tile) const {
  const std::span<const std::byte> stream = compressed_.stream(tile);
  const std::int64_t pixels = grid_.pixels(tile);
  if (method_.codec == TileCodec::none) return plain_bytes(stream, pixels) > 0;
  if (stream.empty() || compressed_.type() != (method_.codec == TileCodec::plio ? 'I' : 'B')) return false;
  if (method_.codec == TileCodec::rice) return can_be_rice(stream, pixels, method_.block);
  if (method_.codec == TileCodec::hcompress) return read_hcompress_head(stream, pixels).has_value();
  return method_.codec == TileCodec::plio ? can_be_plio(stream, pixels) : can_be_gzip(stream, pixels);
}

// A tile that could not be compressed by the image's method is stored in another column, plain or gzipped.
bool TileDecoder::can_be_decoded(std::int64_t tile) const {
  const std::int64_t pixels = grid_.pixels(tile);
  if (compressed_.length(tile) != 0) return can_be_compressed(tile);
  if (plain_.length(tile) != 0) {
    return plain_.length(tile) == pixels && plain_.type() == letter_of(bitpix_) && !plain_.stream(tile).empty();
  }
  return bitpix_ < 0 && gzipped_.length(tile) != 0 && can_be_gzip(gzipped_.stream(tile), pixels);
}

/// Decodes the integers of a tile that is compressed with RICE_1, PLIO_1 or HCOMPRESS_1.
template <class Integer>
bool TileDecoder::decode_integers(std::span<const std::byte> stream, std::span<Integer> integers) const {
  if (method_.codec == TileCodec::rice) return decode_rice(stream, method_.block, integers);
  if constexpr (std::is_same_v<Integer, std::int32_t>) {
    if (method_.codec == TileCodec::plio) {
      if (!decode_plio(stream, integers)) return false;
      for (std::int32_t& integer : integers) integer -= method_.offset;
      return true;
    }
    // Pixels of 8 and 16 bits are decoded with 32-bit coefficients, as in CFITSIO, which writes most of these files.
    const auto decode_as_cfitsio =
        bitpix_ == 8 || bitpix_ == 16 ? decode_hcompress<std::int32_t> : decode_hcompress<std::int64_t>;
    if (!decode_as_cfitsio(stream, method_.smooth, integers)) return false;
    if (bitpix_ == 8) bring_into_range<std::uint8_t>(integers);
    if (bitpix_ == 16) bring_into_range<std::int16_t>(integers);
    return true;
  }
  return false;
}

template <class Integer, class Pixel>
bool TileDecoder::finish(std::int64_t tile, std::span<const Integer> integers, std::span<Pixel> pixels) const {
  if constexpr (std::is_integral_v<Pixel>) return convert<Integer>(integers, pixels.data());
  if constexpr (std::is_floating_point_v<Pixel>) restore_floats<Integer>(integers, quantisation(tile), pixels.data());
  return true;
}

template <class Pixel>
bool TileDecoder::decode_gzip(std::int64_t tile, std::span<const std::byte> stream, std::span<Pixel> pixels) const {
  const std::int64_t count = std::ssize(pixels), own = sizeof(Pixel);
  const bool shuffled = method_.codec == TileCodec::gzip_2;
  const bool floats = std::is_floating_point_v<Pixel> && !method_.quantised;
  const GzipTile inflated = floats              ? inflate_tile(stream, count, {own}, shuffled)
                            : method_.quantised ? inflate_tile(stream, count, {4}, shuffled)
                                                : inflate_tile(stream, count, {1, 2, 4}, shuffled);
  if (inflated.pixel_bytes == 0) return false;
  return load_numbers(tile, inflated.bytes.get(), inflated.pixel_bytes, pixels);
}

/// Loads big-endian numbers of `pixel_bytes` bytes: pixels, or integers that become pixels.
template <class Pixel>
bool TileDecoder::load_numbers(std::int64_t tile, const std::byte* bytes, std::int64_t pixel_bytes,
                               std::span<Pixel> pixels) const {
  if (!method_.quantised && pixel_bytes == static_cast<std::int64_t>(sizeof(Pixel))) {
    load_all(bytes, pixels);
    return true;
  }
  return with_integer_type(pixel_bytes, [&]<class Integer>(Integer) {
    const auto memory = make_integers<Integer>(pixels.size());
    const std::span<Integer> integers(memory.get(), pixels.size());
    load_all(bytes, integers);
    return finish<Integer>(tile, integers, pixels);
  });
}

/// Loads a tile that the image's method could not compress: its pixels are stored plain or gzipped.
template <class Pixel>
bool TileDecoder::load_uncompressed(std::int64_t tile, std::span<Pixel> pixels) const {
  if (plain_.length(tile) != 0) {
    load_all(plain_.stream(tile).data(), pixels);
  } else {
    const std::int64_t own = sizeof(Pixel);
    const GzipTile inflated = inflate_tile(gzipped_.stream(tile), std::ssize(pixels), {own}, false);
    if (inflated.pixel_bytes == 0) return false;
    load_all(inflated.bytes.get(), pixels);
  }
  if constexpr (std::is_floating_point_v<Pixel>) {
    if (method_.quantised) unite_nans(pixels);
  }
  return true;
}

template <class Pixel>
bool TileDecoder::decode_as(std::int64_t tile, std::span<Pixel> pixels) const {
  if (compressed_.length(tile) == 0) return load_uncompressed(tile, pixels);
  const std::span<const std::byte> stream = compressed_.stream(tile);
  const TileCodec codec = method_.codec;
  if (codec == TileCodec::none)
    return load_numbers(tile, stream.data(), plain_bytes(stream, std::ssize(pixels)), pixels);
  if (codec == TileCodec::gzip_1 || codec == TileCodec::gzip_2) return decode_gzip(tile, stream, pixels);
  return with_integer_type(codec == TileCodec::rice ? method_.pixel_bytes : 4, [&]<class Integer>(Integer) {
    if constexpr (std::is_same_v<Integer, Pixel>) {
      return decode_integers<Integer>(stream, pixels);
    } else {
      const auto memory = make_integers<Integer>(pixels.size());
      const std::span<Integer> integers(memory.get(), pixels.size());
      return decode_integers<Integer>(stream, integers) && finish<Integer>(tile, integers, pixels);
    }
  });
}

bool TileDecoder::decode(std::int64_t tile, std::byte* out) const {
  return with_pixel_type(bitpix_, [&]<class Pixel>(Pixel) {
    return decode_as(tile, std::span(reinterpret_cast<Pixel*>(out), static_cast<std::size_t>(grid_.pixels(tile))));
  });
}

std::size_t TileDecoder::together() const {
  static_assert(rice_lanes <= most_tiles_together);
  const bool small = grid_.pixels(0) <= most_pixels_together;
  return small && method_.codec == TileCodec::rice && has_rice_lanes() ? rice_lanes : 1;
}

bool TileDecoder::decode(std::span<const std::int64_t> tiles, std::span<std::byte* const> out) const {
  const bool alike = std::ranges::all_of(tiles, [&](std::int64_t tile) {
    return compressed_.length(tile) != 0 && grid_.pixels(tile) == grid_.pixels(tiles[0]);
  });
  if (alike && tiles.size() == rice_lanes && together() == rice_lanes) {
    return with_pixel_type(bitpix_, [&]<class Pixel>(Pixel) {
      return with_integer_type(method_.pixel_bytes,
                               [&]<class Integer>(Integer) { return decode_side_by_side<Integer, Pixel>(tiles, out); });
    });
  }
  for (std::size_t i = 0; i < tiles.size(); ++i)
    if (!decode(tiles[i], out[i])) return false;
  return true;
}

template <class Integer, class Pixel>
bool TileDecoder::decode_side_by_side(std::span<const std::int64_t> tiles, std::span<std::byte* const> out) const {
  const auto count = static_cast<std::size_t>(grid_.pixels(tiles[0]));
  constexpr bool ready = std::is_same_v<Integer, Pixel>;
  const auto memory = make_integers<Integer>(ready ? 0 : rice_lanes * count);
  std::array<std::span<const std::byte>, rice_lanes> streams;
  std::array<Integer*, rice_lanes> integers;
  for (std::size_t lane = 0; lane < rice_lanes; ++lane) {
    streams[lane] = compressed_.stream(tiles[lane]);
    integers[lane] = ready ? reinterpret_cast<Integer*>(out[lane]) : memory.get() + lane * count;
  }
  bool whole = decode_rice(streams, method_.block, static_cast<std::int64_t>(count), integers);
  if constexpr (!ready)
    for (std::size_t lane = 0; lane < rice_lanes && whole; ++lane)
      whole = finish<Integer>(tiles[lane], std::span<const Integer>(integers[lane], count),
                              std::span(reinterpret_cast<Pixel*>(out[lane]), count));
  return whole;
}

std::optional<RicePlane> TileDecoder::rice() const {
  if (method_.codec != TileCodec::rice) return std::nullopt;
  RicePlane plane;
  plane.pixel_bytes = method_.pixel_bytes;
  plane.block = method_.block;
  plane.quantised = method_.quantised;
  plane.dither = method_.quantised ? method_.dither : Dither::none;
  return plane;
}

RiceTile TileDecoder::rice_tile(std::int64_t tile) const {
  RiceTile found;
  if (compressed_.length(tile) == 0 || !can_be_compressed(tile)) return found;
  found.stream = compressed_.stream(tile);
  found.quantisation = quantisation(tile);
  return found;
}

}  // namespace srcextract
