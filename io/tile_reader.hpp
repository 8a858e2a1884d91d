#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "io/fits_reader.hpp"
#include "io/input_file.hpp"

namespace srcextract {

/// Decodes the pixels of a tile-compressed image through CFITSIO.
class TileReader {
 public:
  /// Reads the HDU into memory, alone: CFITSIO never sees the file, which may change meanwhile, nor the HDUs before,
  /// from which it keeps that their floats were not quantised. Throws Error{input} if the tiles are not those of the
  /// image, Error{memory} if there is not enough memory.
  TileReader(const InputFile& file, const Hdu& hdu);

  /// Copies pixels [first, first + count) of plane `plane` (from 0) to `out`, unscaled and in native byte order; a
  /// null pixel of a floating-point image is NaN. May be called from several threads, which then take turns.
  void read(std::int64_t plane, std::int64_t first, std::int64_t count, std::byte* out);

  /// The stored bytes of the data unit, a whole number of FITS records.
  std::span<const std::byte> data() const;

 private:
  void read_rectangle(std::int64_t plane, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
                      std::byte* out);

  std::unique_ptr<std::byte[]> records_;  ///< a primary HDU without data, the HDU, and zeros
  FitsReader reader_;
  Hdu hdu_;
  bool scaled_floats_ = false;  ///< the tiles hold integers that stand for floats
  std::mutex mutex_;
};

}  // namespace srcextract
