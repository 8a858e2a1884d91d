#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// A compressed image in memory, read through CFITSIO by several threads at once: each has a handle of its own
/// meanwhile.
class CfitsioTiles {
 public:
  /// `records` hold a primary HDU without data and then the image, which was `hdu` of the file `path`. Throws
  /// Error{input} if it is another one now.
  CfitsioTiles(std::span<const std::byte> records, std::string path, const Hdu& hdu);

  /// Where the image is in the records.
  const Hdu& hdu() const { return hdu_; }

  /// For looking at the header and the table before the first read().
  FitsReader& table() { return free_.front()->reader; }

  /// Decodes the pixels from corner to corner (from 1, both included) to `out`, unscaled and in native byte order. With
  /// `nulls` a null pixel of a floating-point image is NaN; without, floats are copied as they are. Throws
  /// Error{input}.
  void read(std::vector<long> first, std::vector<long> last, bool nulls, std::byte* out);

 private:
  struct Handle {
    Handle(std::span<const std::byte> records, const std::string& path, int index);

    FitsReader reader;
    Hdu hdu;
  };

  std::unique_ptr<Handle> take();
  void give_back(std::unique_ptr<Handle> handle);

  std::span<const std::byte> records_;
  std::string path_;
  Hdu hdu_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Handle>> free_;  ///< that no thread uses just now
};

}  // namespace srcextract
