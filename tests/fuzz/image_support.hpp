#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/fits/header_values.hpp"
#include "io/image/fits_image.hpp"
#include "io/wcs/pixel_unit.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace srcextract::testing {

/// More pixels than that are not asked for: a damaged header may promise any number, and what is looked for is in the
/// first of them.
inline constexpr std::int64_t most_pixels = 1 << 16;

/// Reads the first pixels and the last one, and again into other memory: the same bytes, the same refusal.
inline void read_twice(const SelectedImage& selected) {
  const auto read = [&](std::byte memory) {
    std::vector<std::byte> bytes;
    try {
      const FitsImage image = selected.open();
      const PixelSource plane = image.plane(image.planes());
      const std::int64_t count = std::min(plane.shape.count(), most_pixels);
      bytes.assign(static_cast<std::size_t>((count + 1) * plane.format.bytes()), memory);
      plane.read(0, count, bytes.data());
      plane.read(plane.shape.count() - 1, 1, bytes.data() + count * plane.format.bytes());
    } catch (const Error& error) {
      require(error.kind() == ErrorKind::input, error.what());
      const std::string words = error.what();
      const auto* first = reinterpret_cast<const std::byte*>(words.data());
      bytes.assign(first, first + words.size());
    }
    return bytes;
  };
  require(read(std::byte{0x55}) == read(std::byte{0xaa}), "the same image is read as something else");
}

/// What is said of an image besides its pixels.
inline void read_header(const FitsImage& image) {
  for (const HeaderValue& value : header_values(image.header(), image.primary_header(), {"TELESCOP", "CRVAL1"}))
    require(format_card(value).size() == 80, "a card is not of 80 columns");
  sum_unit(pixel_unit(image.header()));
  image.further_images();
  image.plane(1);
}

}  // namespace srcextract::testing
