#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "stages/core/image.hpp"

namespace srcextract {

/// How the stored pixels of an image become values: value = bzero + bscale * stored (FITS Standard 4.0, 4.4.2.5),
/// computed in double and rounded once to float; a stored integer equal to `blank` is masked.
struct PixelFormat {
  int bitpix = -32;  ///< 8 (unsigned), 16, 32, 64, -32, -64
  double bscale = 1.0;
  double bzero = 0.0;
  std::optional<std::int64_t> blank = std::nullopt;
  bool big_endian = true;  ///< as in a FITS file; false = the byte order of this machine

  int bytes() const { return (bitpix < 0 ? -bitpix : bitpix) / 8; }
};

/// Where the stored pixels of one plane come from. `read` copies pixels [first, first + count) in stored form to `out`;
/// it may be called from several threads at once and throws Error{input} when the file fails it.
struct PixelSource {
  Shape shape;
  PixelFormat format;
  std::function<void(std::int64_t first, std::int64_t count, std::byte* out)> read;
  const std::byte* memory = nullptr;  ///< if set, the plane lies here, on the host, for as long as it is extracted
};

}  // namespace srcextract
