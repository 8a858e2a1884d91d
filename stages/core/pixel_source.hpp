#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "stages/core/image.hpp"

namespace srcextract {

/// The conversion of stored pixels to values: value = bzero + bscale * stored (FITS Standard 4.0, section 4.4.2.5). The
/// value is computed in double and rounded once to float. A pixel whose stored integer equals `blank` is masked.
struct PixelFormat {
  int bitpix = -32;  ///< BITPIX of FITS: 8 (unsigned), 16, 32 or 64 for integers, -32 or -64 for floating-point numbers
  double bscale = 1.0;
  double bzero = 0.0;
  std::optional<std::int64_t> blank = std::nullopt;
  bool big_endian = true;  ///< the byte order of FITS files; false: the byte order of the host

  int bytes() const { return (bitpix < 0 ? -bitpix : bitpix) / 8; }
};

/// The stored pixels of one image. `read` copies the pixels [first, first + count) to `out` without conversion. Several
/// threads may call `read` at once. `read` throws Error{input} if the file cannot be read.
struct PixelSource {
  Shape shape;
  PixelFormat format;
  std::function<void(std::int64_t first, std::int64_t count, std::byte* out)> read;
  /// host address of all stored pixels, valid until their extraction ends; null: only `read` gives the pixels
  const std::byte* memory = nullptr;
};

}  // namespace srcextract
