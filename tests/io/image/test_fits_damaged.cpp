#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "io/image/fits_image.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/compressed_files.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {
namespace {

constexpr long width = 40, height = 30;

template <class T>
std::vector<T> ramp() {
  std::vector<T> pixels(width * height);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<T>(i * i % 1009);
  return pixels;
}

std::vector<std::pair<std::string, std::string>> good_files() {
  const std::vector<std::int64_t> axes{width, height};
  const std::vector<std::int16_t> shorts = ramp<std::int16_t>();
  const std::vector<float> floats = ramp<float>();
  const std::vector<long> size{width, height};
  const Compression dithered{.method = RICE_1, .quantize = 4, .dither = SUBTRACTIVE_DITHER_1};
  return {
      {"plain", image_hdu(16, axes, big_endian(shorts), {{"BLANK", "3"}, {"BSCALE", "2.0"}}) + table_hdu("T") +
                    image_hdu(-32, {width, 10, 3}, big_endian(floats), {{"EXTNAME", "'F'"}}, Place::extension)},
      {"rice", compressed_file({.method = RICE_1}, 16, TSHORT, size, shorts)},
      {"rice_squares", compressed_file({.method = RICE_1, .tile = {16, 16}}, 8, TBYTE, size, ramp<std::uint8_t>())},
      {"dithered", compressed_file(dithered, -32, TFLOAT, size, floats)},
      {"dithered_doubles", compressed_file(dithered, -64, TDOUBLE, size, ramp<double>())},
      {"gzip_1", compressed_file({.method = GZIP_1, .tile = {16, 16}}, 16, TSHORT, size, shorts)},
      {"gzip_2", compressed_file({.method = GZIP_2}, -32, TFLOAT, size, floats)},
      {"plio", compressed_file({.method = PLIO_1}, 16, TSHORT, size, shorts)},
      {"hcompress", compressed_file({.method = HCOMPRESS_1, .tile = {width, 10}}, 16, TSHORT, size, shorts)},
  };
}

std::string damage(std::string bytes, std::mt19937& random) {
  const std::size_t at = random() % bytes.size();
  switch (random() % 5) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      break;
    case 2:
      bytes[at] = static_cast<char>(random() % 256);
      break;
    case 3:  // another digit or letter where there is text
      bytes[at] = static_cast<char>(' ' + random() % 95);
      break;
    default: {  // another number in a card
      const std::size_t digit = std::min(bytes.find_first_of("0123456789", at), bytes.size() - 1);
      bytes[digit] = static_cast<char>('0' + random() % 10);
    }
  }
  return bytes;
}

/// What the image yields; at most this many pixels of a plane, for a damaged header may promise any number.
void read_image(const FitsImage& image) {
  constexpr std::int64_t most = 100000;
  image.datasum(1);
  const std::vector<std::int64_t>& axes = image.axes();
  for (std::int64_t number : {std::int64_t{1}, axes.size() > 2 ? axes[2] : 1}) {
    const PixelSource plane = image.plane(number);
    const std::int64_t count = std::min(plane.shape.count(), most);
    std::vector<std::byte> pixels(static_cast<std::size_t>(count * plane.format.bytes()));
    plane.read(0, count, pixels.data());
    plane.read(plane.shape.count() - 1, 1, pixels.data());
  }
}

TEST(FitsDamaged, EveryDamagedFileIsReadOrRefused) {
  const TemporaryFolder directory;
  std::mt19937 random(20240);
  int refused = 0, read = 0;
  for (const auto& [name, good] : good_files()) {
    write_file(directory / name, good);
    EXPECT_EQ(open_fits_images(directory / name, "all").size(), name == "plain" ? 2u : 1u) << name;
    for (int i = 0; i < 300; ++i) {
      SCOPED_TRACE(name + " " + std::to_string(i));
      // A new file each time: some file systems write one that is replaced through to the disk.
      const std::string path = directory / (name + std::to_string(i));
      write_file(path, damage(good, random));
      try {
        for (const FitsImage& image : open_fits_images(path, "all")) read_image(image);
        ++read;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 300);
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace srcextract::testing
