#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/image_support.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {

/// What stands before the streams of a tile target: five bytes that say what image they are to be.
struct TileImage {
  static constexpr std::size_t bytes = 5;

  explicit TileImage(const std::uint8_t* data)
      : bitpix(std::array{8, 16, 32, -32, -64}[data[0] % 5]),
        width(data[1] + 1),
        height(data[2] % 64 + 1),
        tile_height(data[3] % height + 1),
        choice(data[4]) {}

  int bitpix;
  std::int64_t width, height, tile_height;
  int choice;  ///< bits that mean what the target says

  bool floats() const { return bitpix < 0; }
  std::int64_t tiles() const { return (height + tile_height - 1) / tile_height; }
};

/// A tile-compressed image (FITS Standard 4.0, 10.1) of the bytes, shared out among its tiles: `method` is its
/// ZCMPTYPE, `element` the letter of its COMPRESSED_DATA. Images of floats are quantised, with a scale and a zero for
/// each tile.
inline std::string compressed_image(const TileImage& image, const std::string& method, char element,
                                    std::string_view stream, const Cards& more) {
  const std::size_t size = element == 'I' ? 2 : 1;
  const auto tiles = static_cast<std::size_t>(image.tiles());
  std::string table;
  for (std::size_t i = 0, begin = 0; i < tiles; ++i) {
    const std::size_t end = i + 1 == tiles ? stream.size() : stream.size() / size * (i + 1) / tiles * size;
    table += big_endian(
        std::vector<std::int32_t>{static_cast<std::int32_t>((end - begin) / size), static_cast<std::int32_t>(begin)});
    if (image.floats()) table += big_endian(std::vector<double>{0.125 + static_cast<double>(i), -3.5});
    begin = end;
  }
  const std::string row = std::to_string(table.size() / tiles);
  Cards cards{{"XTENSION", "'BINTABLE'"},
              {"BITPIX", "8"},
              {"NAXIS", "2"},
              {"NAXIS1", row},
              {"NAXIS2", std::to_string(tiles)},
              {"PCOUNT", std::to_string(stream.size())},
              {"GCOUNT", "1"},
              {"TFIELDS", image.floats() ? "3" : "1"},
              {"TTYPE1", "'COMPRESSED_DATA'"},
              {"TFORM1", std::string("'1P") + element + "'"}};
  const Cards scales{{"TTYPE2", "'ZSCALE'"}, {"TFORM2", "'1D'"}, {"TTYPE3", "'ZZERO'"}, {"TFORM3", "'1D'"}};
  if (image.floats()) cards.insert(cards.end(), scales.begin(), scales.end());
  const Cards described{{"ZIMAGE", "T"},
                        {"ZBITPIX", std::to_string(image.bitpix)},
                        {"ZNAXIS", "2"},
                        {"ZNAXIS1", std::to_string(image.width)},
                        {"ZNAXIS2", std::to_string(image.height)},
                        {"ZTILE1", std::to_string(image.width)},
                        {"ZTILE2", std::to_string(image.tile_height)},
                        {"ZCMPTYPE", "'" + method + "'"}};
  cards.insert(cards.end(), described.begin(), described.end());
  cards.insert(cards.end(), more.begin(), more.end());
  return fits_header({{"SIMPLE", "T"}, {"BITPIX", "8"}, {"NAXIS", "0"}, {"EXTEND", "T"}}) + fits_header(cards) +
         fits_data(table + std::string(stream));
}

/// Reads it, twice.
inline void read_compressed(const std::string& file) {
  const std::string path = input_file(file, "tiles.fits");
  read_or_refused({ErrorKind::input}, [&] {
    for (const SelectedImage& selected : select_images(path, "1")) read_twice(selected);
  });
}

/// The cards of floats' dithering, by two bits of the choice.
inline Cards dithering(const TileImage& image) {
  constexpr const char* methods[] = {"'NO_DITHER'", "'SUBTRACTIVE_DITHER_1'", "'SUBTRACTIVE_DITHER_2'"};
  if (!image.floats() || (image.choice & 3) == 3) return {};
  return {{"ZQUANTIZ", methods[image.choice & 3]}, {"ZDITHER0", std::to_string(image.choice * 40 + 1)}};
}

}  // namespace srcextract::testing
