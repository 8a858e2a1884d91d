#include "io/tiles/tile_decoder.hpp"

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/tiles/rice.hpp"
#include "io/tiles/tile_streams.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Calls f with the type of the integers that RICE_1 made so many bytes of.
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

/// False if a number is too large for a pixel.
template <class Integer, class Pixel>
bool convert(std::span<const Integer> integers, Pixel* pixels) {
  bool fits = true;
  for (const Integer integer : integers) {
    fits &= std::in_range<Pixel>(integer);
    *pixels++ = static_cast<Pixel>(integer);
  }
  return fits;
}

template <class Integer, class Pixel>
bool decode_pixels(std::span<const std::byte> stream, std::int64_t block, const Quantisation& quantisation,
                   std::span<Pixel> pixels) {
  if constexpr (std::is_same_v<Integer, Pixel>) {
    return decode_rice(stream, block, pixels);
  } else {
    const auto memory = std::make_unique_for_overwrite<Integer[]>(pixels.size());
    const std::span<Integer> integers(memory.get(), pixels.size());
    if (!decode_rice(stream, block, integers)) return false;
    if constexpr (std::is_integral_v<Pixel>) return convert<Integer>(integers, pixels.data());
    if constexpr (std::is_floating_point_v<Pixel>) restore_floats<Integer>(integers, quantisation, pixels.data());
    return true;
  }
}

}  // namespace

TileDecoder::TileDecoder(std::span<const std::byte> records, std::string path, const Hdu& hdu)
    : cfitsio_(records, std::move(path), hdu),
      method_(read_tile_method(cfitsio_.table(), cfitsio_.hdu())),
      grid_(cfitsio_.table(), cfitsio_.hdu()),
      compressed_(cfitsio_.table(), cfitsio_.hdu(), "COMPRESSED_DATA", grid_.tiles()),
      gzipped_(cfitsio_.table(), cfitsio_.hdu(), "GZIP_COMPRESSED_DATA", grid_.tiles()),
      plain_(cfitsio_.table(), cfitsio_.hdu(), "UNCOMPRESSED_DATA", grid_.tiles()),
      scale_(cfitsio_.table(), "ZSCALE", grid_.tiles()),
      zero_(cfitsio_.table(), "ZZERO", grid_.tiles()),
      blank_(cfitsio_.table(), "ZBLANK", grid_.tiles()) {
  if (blank_.missing()) blank_ = TileNumbers<int>(cfitsio_.table(), "BLANK", grid_.tiles());  // as CFITSIO does
  const bool scaled = !scale_.missing() && !zero_.missing() && scale_.in_column() == zero_.in_column();
  // Integers with a scale are not in the standard: CFITSIO may make of them what it will.
  rice_is_ours_ = method_.rice() && (hdu.bitpix < 0 ? scaled : scale_.missing());
  if (method_.quantised && !rice_is_ours_ && !scale_.in_column()) {
    throw Error(ErrorKind::input, describe(this->hdu(), cfitsio_.table().path()) +
                                      ": ZSCALE is a keyword, for all tiles; CFITSIO would take the integers in these "
                                      "for floats; compress the image with RICE_1, or with a ZSCALE for each tile");
  }
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

/// Whether the stream of the tile can be one that its method made.
bool TileDecoder::can_be_compressed(std::int64_t tile) const {
  const std::span<const std::byte> stream = compressed_.stream(tile);
  const std::int64_t pixels = grid_.pixels(tile);
  const int bitpix = hdu().bitpix;
  if (stream.empty() || compressed_.type() != (method_.name == "PLIO_1" ? TSHORT : TBYTE)) return false;
  if (method_.rice()) {
    if (!can_be_rice(stream, pixels, method_.block)) return false;
    if (rice_is_ours_) return true;
    return with_integer_type(method_.pixel_bytes, [&]<class Integer>(Integer) {
      std::vector<Integer> integers(static_cast<std::size_t>(pixels));
      return decode_rice(stream, method_.block, std::span(integers));
    });
  }
  if (method_.name == "HCOMPRESS_1") return is_hcompress_tile(stream, pixels);
  if (method_.name == "PLIO_1") return is_plio_tile(stream);
  if (bitpix > 0) return is_gzip_tile(stream, pixels, {1, 2, 4});
  return is_gzip_tile(stream, pixels, {method_.quantised ? 4 : -bitpix / 8});
}

// A tile that its method cannot compress stands in another column.
bool TileDecoder::can_be_decoded(std::int64_t tile) const {
  const std::int64_t pixels = grid_.pixels(tile);
  const int bitpix = hdu().bitpix;
  if (compressed_.length(tile) != 0) return can_be_compressed(tile);
  if (plain_.length(tile) != 0) return plain_.length(tile) == pixels;
  return bitpix < 0 && is_gzip_tile(gzipped_.stream(tile), pixels, {-bitpix / 8});
}

bool TileDecoder::decode_rice_tile(std::int64_t tile, std::byte* out) const {
  const auto count = static_cast<std::size_t>(grid_.pixels(tile));
  return with_integer_type(method_.pixel_bytes, [&]<class Integer>(Integer) {
    return with_pixel_type(hdu().bitpix, [&]<class Pixel>(Pixel) {
      return decode_pixels<Integer>(compressed_.stream(tile), method_.block, quantisation(tile),
                                    std::span(reinterpret_cast<Pixel*>(out), count));
    });
  });
}

bool TileDecoder::decode(std::int64_t tile, std::byte* out) {
  if (rice_is_ours_ && compressed_.length(tile) != 0) return decode_rice_tile(tile, out);
  std::vector<long> first, last;
  grid_.corners(tile, first, last);
  cfitsio_.read(std::move(first), std::move(last), method_.quantised, out);
  return true;
}

}  // namespace srcextract
