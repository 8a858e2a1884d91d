#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "stages/core/image.hpp"

namespace srcextract {

/// How stored pixels are converted to values: value = bzero + bscale * stored (FITS Standard 4.0, 4.4.2.5), computed in
/// double and rounded once to float. A stored integer equal to `blank` is masked.
struct PixelFormat {
  int bitpix = -32;  ///< 8 (unsigned), 16, 32, 64, -32, -64
  double bscale = 1.0;
  double bzero = 0.0;
  std::optional<std::int64_t> blank = std::nullopt;
  bool big_endian = true;  ///< as in a FITS file; false: the byte order of the host

  int bytes() const { return (bitpix < 0 ? -bitpix : bitpix) / 8; }
};

/// Gives access to the stored pixels of one plane. `read` copies pixels [first, first + count) in stored form to `out`.
/// Several threads may call it at once. It throws Error{input} if the file cannot be read.
struct PixelSource {
  Shape shape;
  PixelFormat format;
  std::function<void(std::int64_t first, std::int64_t count, std::byte* out)> read;
  const std::byte* memory = nullptr;  ///< if not null, the plane is at this host address until its extraction ends
};

}  // namespace srcextract
