#include "io/fits/constant_array.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "io/files/refuse.hpp"

namespace srcextract {
namespace {

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

/// Returns the value as a pixel of type T; no bytes if T cannot represent the value.
template <class T>
std::vector<std::byte> as_integer_pixel(double value) {
  const bool fits = value == std::floor(value) && value >= static_cast<double>(std::numeric_limits<T>::min()) &&
                    value <= static_cast<double>(std::numeric_limits<T>::max());
  return fits ? bytes_of(static_cast<T>(value)) : std::vector<std::byte>();
}

std::vector<std::byte> as_pixel(double value, int bitpix) {
  switch (bitpix) {
    case 8:
      return as_integer_pixel<std::uint8_t>(value);
    case 16:
      return as_integer_pixel<std::int16_t>(value);
    case 32:
      return as_integer_pixel<std::int32_t>(value);
    case -32:
      return bytes_of(static_cast<float>(value));
    default:
      return bytes_of(value);
  }
}

}  // namespace

bool is_constant_array(const Hdu& hdu) {
  return hdu.kind == HduKind::image && hdu.axes.empty() && hdu.header && hdu.header->has("NPIX1") &&
         hdu.header->has("PIXVALUE");
}

ConstantArray read_constant_array(const Hdu& hdu, const std::string& where) {
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max() - 1;
  constexpr int most_axes = 999;
  ConstantArray array;
  std::int64_t pixels = 1;
  bool possible = true;
  for (int axis = 1; axis <= most_axes; ++axis) {
    const std::string keyword = "NPIX" + std::to_string(axis);
    const std::optional<std::int64_t> length =
        hdu.header->integer(keyword, 1, axis <= 2 ? longest : std::numeric_limits<std::int64_t>::max());
    if (!length) break;
    array.axes.push_back(*length);
    possible &= !__builtin_mul_overflow(pixels, *length, &pixels);
  }
  if (!possible || pixels > std::numeric_limits<std::int64_t>::max() / 8)
    refuse_header(where, "NPIXn tell more pixels than any image can have");
  const std::optional<double> value = hdu.header->real("PIXVALUE");
  if (array.axes.empty() || !value) refuse_header(where, "NPIX1 or PIXVALUE has no value");
  array.stored = as_pixel(*value, hdu.bitpix);
  const bool kept = !array.stored.empty() && hdu.bitpix != 64;
  array.format = {.bitpix = kept ? hdu.bitpix : -64, .big_endian = false};
  if (!kept) array.stored = bytes_of(*value);
  return array;
}

PixelSource constant_plane(const ConstantArray& array) {
  PixelSource source;
  source.shape = {array.axes[0], array.axes.size() > 1 ? array.axes[1] : 1};
  source.format = array.format;
  source.read = [pixel = array.stored](std::int64_t, std::int64_t count, std::byte* out) {
    for (std::int64_t i = 0; i < count; ++i, out += pixel.size()) std::memcpy(out, pixel.data(), pixel.size());
  };
  return source;
}

}  // namespace srcextract
