#include "io/pictures/png_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <random>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

/// A PNG as libpng's own reader shows it, its first row the topmost.
struct ReadPng {
  Shape shape;
  bool palette = false;
  std::vector<std::uint8_t> bytes;  ///< of grey; red, green and blue if there is a palette
};

ReadPng read_png(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) throw std::runtime_error(image.message);
  ReadPng read{{image.width, image.height}, (image.format & PNG_FORMAT_FLAG_COLORMAP) != 0, {}};
  EXPECT_EQ(image.format, read.palette ? PNG_FORMAT_RGB_COLORMAP : PNG_FORMAT_GRAY) << "8 bits, no alpha";
  image.format = read.palette ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  read.bytes.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, read.bytes.data(), 0, nullptr) == 0) {
    throw std::runtime_error(image.message);
  }
  return read;
}

Image<std::uint8_t, Cpu> random_image(Shape shape, unsigned values = 256) {
  std::mt19937 random(3);
  Image<std::uint8_t, Cpu> image(shape, Cpu{});
  for (std::uint8_t& pixel : image.pixels) pixel = static_cast<std::uint8_t>(random() % values);
  return image;
}

/// No two alike, and none of them grey.
std::vector<std::array<std::uint8_t, 3>> make_palette(std::size_t colours) {
  std::vector<std::array<std::uint8_t, 3>> palette(colours);
  for (std::size_t i = 0; i < colours; ++i) {
    const auto value = static_cast<std::uint8_t>(i);
    palette[i] = {value, static_cast<std::uint8_t>(value + 1), static_cast<std::uint8_t>(7 * value)};
  }
  return palette;
}

constexpr Shape shapes[] = {{1, 1}, {1, 300}, {300, 1}, {31, 33}, {1023, 517}, {2000, 1700}};

TEST(PngFile, IsReadBackUpsideDown) {
  const TemporaryFolder directory;
  for (const Shape& shape : shapes) {
    const Image<std::uint8_t, Cpu> image = random_image(shape);
    write_png(directory / "a.png", image).commit();
    const ReadPng read = read_png(directory / "a.png");
    ASSERT_EQ(read.shape, shape);
    EXPECT_FALSE(read.palette);
    for (std::int64_t y = 0; y < shape.height; ++y) {
      const std::uint8_t* ours = image.pixels.data() + y * shape.width;
      EXPECT_TRUE(std::equal(ours, ours + shape.width, read.bytes.begin() + (shape.height - 1 - y) * shape.width)) << y;
    }
  }
}

TEST(PngFile, HasTheColoursOfAPalette) {
  const TemporaryFolder directory;
  for (const Shape& shape : shapes) {
    for (const unsigned colours : {1U, 2U, 200U, 256U}) {
      const Image<std::uint8_t, Cpu> image = random_image(shape, colours);
      const auto palette = make_palette(colours);
      write_png(directory / "a.png", image, palette).commit();
      const ReadPng read = read_png(directory / "a.png");
      ASSERT_EQ(read.shape, shape);
      EXPECT_TRUE(read.palette);
      std::vector<std::uint8_t> shown;
      for (std::int64_t i = 0; i < shape.count(); ++i) {
        const std::int64_t row = shape.height - 1 - i / shape.width;
        const auto& colour = palette[image.pixels[row * shape.width + i % shape.width]];
        shown.insert(shown.end(), colour.begin(), colour.end());
      }
      EXPECT_EQ(read.bytes, shown);
    }
  }
}

TEST(PngFile, IsNotThereBeforeTheCommit) {
  const TemporaryFolder directory;
  {
    const OutputFile file = write_png(directory / "a.png", random_image({10, 10}));
    EXPECT_GT(file.size(), 100);
  }
  EXPECT_TRUE(directory.names().empty());
}

TEST(PngFile, SaysWhatCannotBeWritten) {
  const TemporaryFolder directory;
  const auto kind_and_text = [](const std::string& path, const Image<std::uint8_t, Cpu>& image, std::size_t colours) {
    try {
      write_png(path, image, make_palette(colours));
    } catch (const Error& error) {
      return std::pair{error.kind(), std::string(error.what())};
    }
    return std::pair{ErrorKind::device, std::string("nothing was wrong")};
  };
  const auto [kind, text] = kind_and_text(directory / "missing/a.png", random_image({10, 10}), 0);
  EXPECT_EQ(kind, ErrorKind::output);
  EXPECT_THAT(text, HasSubstr("missing/a.png"));
  EXPECT_THAT(kind_and_text(directory / "a.png", random_image({0, 0}), 0).second, HasSubstr("a.png: libpng cannot"));
  EXPECT_THAT(kind_and_text(directory / "a.png", random_image({9, 9}), 257).second, HasSubstr("a.png: libpng cannot"));
}

/// What fails while libpng writes is told as the file tells it.
TEST(PngFile, AFileThatCannotBeWrittenToItsEndIsNotThere) {
  const TemporaryFolder directory;
  const auto write_with_little_room = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {65536, 65536};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::exit(3);
    try {
      write_png(directory / "a.png", random_image({2000, 1700}));
    } catch (const Error& error) {
      std::exit(std::string(error.what()).find("a.png: File too large") != std::string::npos ? 0 : 1);
    }
    std::exit(2);
  };
  EXPECT_EXIT(write_with_little_room(), ::testing::ExitedWithCode(0), "");
  EXPECT_TRUE(directory.names().empty());
}

}  // namespace
}  // namespace srcextract
