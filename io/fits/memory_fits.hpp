#pragma once

#include <fitsio.h>

#include <cstddef>
#include <span>

namespace srcextract {

/// A FITS file that CFITSIO builds in memory. CFITSIO never gets a file name; OutputFile alone writes to the disk.
class MemoryFits {
 public:
  MemoryFits();
  ~MemoryFits();
  MemoryFits(const MemoryFits&) = delete;
  MemoryFits& operator=(const MemoryFits&) = delete;

  fitsfile* get() { return file_; }

  /// Throws if `status`, the result of the CFITSIO calls since the last check, is not 0. `doing` completes "cannot
  /// ...".
  void check(int status, const char* doing) const;

  /// Closes the file; the current HDU must be the last one. The bytes live as long as this object.
  std::span<const std::byte> finish();

 private:
  fitsfile* file_ = nullptr;
  void* memory_ = nullptr;
  std::size_t allocated_ = 0;
};

}  // namespace srcextract
