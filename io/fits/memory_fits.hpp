#pragma once

#include <fitsio.h>

#include <cstddef>
#include <span>

namespace srcextract {

/// A FITS file that CFITSIO builds in memory. CFITSIO never opens a file on disk here; class OutputFile writes the
/// finished bytes.
class MemoryFits {
 public:
  MemoryFits();
  ~MemoryFits();
  MemoryFits(const MemoryFits&) = delete;
  MemoryFits& operator=(const MemoryFits&) = delete;

  fitsfile* get() { return file_; }

  /// Throws Error{internal}, or Error{output} if memory is short, unless `status`, the result of CFITSIO calls, is 0.
  /// `doing` completes a message that begins with "cannot".
  void check(int status, const char* doing) const;

  /// Closes the file and returns its bytes, up to the end of the current HDU, which must be the last. The bytes stay
  /// valid until this object is destroyed.
  std::span<const std::byte> finish();

 private:
  fitsfile* file_ = nullptr;
  void* memory_ = nullptr;
  std::size_t allocated_ = 0;
};

}  // namespace srcextract
