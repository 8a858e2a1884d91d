#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "io/fits_reader.hpp"

namespace srcextract {

/// Decodes the pixels of a tile-compressed image through CFITSIO.
class TileReader {
 public:
  /// Throws Error{input} if the tiles are not those of the image.
  TileReader(std::shared_ptr<const InputFile> file, Hdu hdu);

  /// Copies pixels [first, first + count) of plane `plane` (from 0) to `out`, unscaled and in native byte order; a
  /// null pixel of a floating-point image is NaN. May be called from several threads, which then take turns.
  void read(std::int64_t plane, std::int64_t first, std::int64_t count, std::byte* out);

 private:
  void read_rectangle(std::int64_t plane, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
                      std::byte* out);

  std::shared_ptr<const InputFile> file_;
  FitsReader reader_;
  Hdu hdu_;
  bool scaled_floats_ = false;  ///< the tiles hold integers that stand for floats
  std::mutex mutex_;
};

}  // namespace srcextract
