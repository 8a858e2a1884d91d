#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/image/fits_image.hpp"
#include "tests/io/support/compressed_files.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/stored_pixels.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {

inline constexpr long width = 37, height = 29;

/// Numbers of a smooth sky with noise, from 0 to about 1000.
template <class T>
inline std::vector<T> sky(std::size_t count = width * height) {
  std::mt19937 random(5);
  std::vector<T> pixels(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = 500 + 400 * std::sin(0.01 * i) + random() % 100;
    if constexpr (std::is_floating_point_v<T>) {
      pixels[i] = static_cast<T>(value);
    } else {
      pixels[i] = static_cast<T>(static_cast<int>(value));  // of a byte, what is left beyond 255
    }
  }
  return pixels;
}

class FitsCompressed : public ::testing::Test {
 protected:
  FitsImage open(const std::string& bytes) {
    write_file(directory / "a.fits.fz", bytes);
    std::vector<FitsImage> images = open_fits_images(directory / "a.fits.fz", "all");
    EXPECT_EQ(images.size(), 1u);
    EXPECT_TRUE(images[0].compressed());
    EXPECT_EQ(images[0].hdu(), 1);
    return std::move(images[0]);
  }

  /// CFITSIO and its compression give back what was stored, in one piece and in pieces that cut rows and tiles.
  template <class T>
  void expect_lossless(const Compression& how, int bitpix, int type, const std::vector<T>& pixels) {
    const FitsImage image = open(compressed_file(how, bitpix, type, {width, height}, pixels));
    const PixelSource source = image.plane(1);
    EXPECT_EQ(source.shape, (Shape{width, height}));
    EXPECT_EQ(source.format.bitpix, bitpix);
    EXPECT_FALSE(source.format.big_endian);
    EXPECT_EQ(stored_pixels<T>(source), pixels);
    for (const auto& [first, count] : {std::pair(0, 1), {36, 2}, {10, 5}, {5, 100}, {37, 74}, {1072, 1}}) {
      EXPECT_EQ(stored_pixels<T>(source, first, count),
                std::vector<T>(pixels.begin() + first, pixels.begin() + first + count));
    }
  }

  TemporaryFolder directory;
};

}  // namespace srcextract::testing
