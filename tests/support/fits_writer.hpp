#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace srcextract::testing {

/// FITS files put together byte by byte, so that they can also be wrong.

/// Keywords and the text of their values: {"BZERO", "32768"}, {"EXTNAME", "'SCI'"}.
using Cards = std::vector<std::pair<std::string, std::string>>;

/// One 80-column card.
std::string fits_card(const std::string& keyword, const std::string& value);

/// The cards and END, padded with blanks to whole records.
std::string fits_header(const Cards& cards);

/// The bytes, padded with zeros to whole records.
std::string fits_data(std::string bytes);

enum class Place { primary, extension };

/// The mandatory cards of an image HDU followed by `extra`.
Cards image_cards(int bitpix, const std::vector<std::int64_t>& axes, const Cards& extra = {},
                  Place place = Place::primary);

/// An image HDU: header and data.
std::string image_hdu(int bitpix, const std::vector<std::int64_t>& axes, const std::string& pixels,
                      const Cards& extra = {}, Place place = Place::primary);

/// A binary table of one column of one byte.
std::string table_hdu(const std::string& name);

/// The values one after the other, most significant byte first.
template <class T>
std::string big_endian(const std::vector<T>& values) {
  std::string bytes;
  for (const T& value : values) {
    const auto* first = reinterpret_cast<const char*>(&value);
    const std::uint16_t probe = 1;
    const bool swap = *reinterpret_cast<const char*>(&probe) == 1;
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes += first[swap ? sizeof(T) - 1 - i : i];
  }
  return bytes;
}

/// Writes the bytes to a new file.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace srcextract::testing
