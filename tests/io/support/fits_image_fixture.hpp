#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "io/image/fits_image.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/stored_pixels.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {

inline FitsImage open_one(const std::string& path, const std::string& hdu = "auto") {
  std::vector<FitsImage> images = open_fits_images(path, hdu);
  EXPECT_EQ(images.size(), 1u);
  return std::move(images.front());
}

class FitsImageTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    write_file(directory / name, bytes);
    return directory / name;
  }

  template <class T>
  void expect_stored(int bitpix, const std::vector<T>& pixels) {
    const FitsImage image = open_one(write("a.fits", image_hdu(bitpix, {3, 2}, big_endian(pixels))));
    const PixelSource source = image.plane(1);
    EXPECT_EQ(source.shape, (Shape{3, 2}));
    EXPECT_EQ(source.format.bitpix, bitpix);
    EXPECT_TRUE(source.format.big_endian);
    EXPECT_EQ(stored_pixels<T>(source), pixels);
    EXPECT_EQ(stored_pixels<T>(source, 2, 3), std::vector<T>(pixels.begin() + 2, pixels.begin() + 5));
  }

  TemporaryFolder directory;
};

}  // namespace srcextract::testing
