#include "io/image/asinh_pixels.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "io/files/refuse.hpp"
#include "io/image/stored_value.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

constexpr double magnitudes_per_e = 1.08573620475812959;  // 2.5 / ln 10

/// sinh x within 1e-14 of its value. Near 0, where both exponentials are almost equal, a series replaces them.
double portable_sinh(double x) {
  constexpr double near_zero = 0.5;
  if (std::abs(x) > near_zero) return (portable_exp(x) - portable_exp(-x)) / 2;
  double series = 1;  // the first omitted term is 1e-17
  for (int n = 12; n >= 2; n -= 2) series = 1 + x * x * series / (n * (n + 1));
  return x * series;
}

}  // namespace

std::optional<AsinhScale> read_asinh_scale(const Hdu& hdu, const PixelFormat& format, const Header& primary,
                                           const InputFile& file) {
  const Header& header = hdu.header->has("BSOFTEN") ? *hdu.header : primary;
  const std::optional<double> softening = header.real("BSOFTEN"), offset = header.real("BOFFSET");
  const bool unscaled = format.bitpix > 0 && format.bscale == 1;
  if (!softening || unscaled) return std::nullopt;
  if (!(*softening > 0) || !std::isfinite(*softening) || !std::isfinite(offset.value_or(0)))
    refuse(describe(hdu, file.path()) + ": BSOFTEN = " + shortest(*softening) +
           ", BOFFSET = " + shortest(offset.value_or(0)) +
           " give no asinh pixel a flux; correct the header, or delete both if the pixels are linear");
  return AsinhScale{*softening, offset.value_or(0)};
}

PixelSource linear_pixels(const PixelSource& stored, const AsinhScale& scale) {
  PixelSource linear;
  linear.shape = stored.shape;
  linear.format = {.bitpix = -32, .big_endian = false};
  linear.read = [stored, scale](std::int64_t first, std::int64_t count, std::byte* out) {
    thread_local std::vector<std::byte> numbers;
    const std::int64_t width = stored.format.bytes();
    numbers.resize(static_cast<std::size_t>(count * width));
    stored.read(first, count, numbers.data());
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = stored_value(numbers.data() + i * width, stored.format);
      const auto flux = static_cast<float>(scale.offset + scale.softening * 2 * portable_sinh(x / magnitudes_per_e));
      std::memcpy(out + i * static_cast<std::int64_t>(sizeof(flux)), &flux, sizeof(flux));
    }
  };
  return linear;
}

}  // namespace srcextract
