#include "io/fits/memory_fits.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "io/fits/start_cfitsio.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Step in bytes by which CFITSIO enlarges the memory of a file.
constexpr std::size_t growth = std::size_t{1} << 20;

/// Number of bytes before each memory block in which resize() stores the size of the block.
constexpr std::size_t prefix = alignof(std::max_align_t);

char* start_of(void* memory) {
  return memory ? static_cast<char*>(memory) - prefix : nullptr;
}

/// A realloc that sets new bytes to 0. CFITSIO reads parts of a table before it writes them, and expects zeros as in a
/// file on disk.
void* resize(void* memory, std::size_t size) {
  std::size_t before = 0;
  if (memory) std::memcpy(&before, start_of(memory), sizeof(before));
  char* block = static_cast<char*>(std::realloc(start_of(memory), prefix + size));
  if (!block) return nullptr;
  std::memcpy(block, &size, sizeof(size));
  if (size > before) std::memset(block + prefix + before, 0, size - before);
  return block + prefix;
}

}  // namespace

MemoryFits::MemoryFits() {
  start_cfitsio();
  int status = 0;
  fits_create_memfile(&file_, &memory_, &allocated_, growth, resize, &status);
  check(status, "create a FITS file in memory");
}

MemoryFits::~MemoryFits() {
  int status = 0;
  if (file_) fits_close_file(file_, &status);
  std::free(start_of(memory_));
}

void MemoryFits::check(int status, const char* doing) const {
  if (status == 0) return;
  char text[FLEN_STATUS] = "";
  fits_get_errstatus(status, text);
  fits_clear_errmsg();
  if (status == MEMORY_ALLOCATION) {
    throw Error(ErrorKind::output, std::string("cannot ") + doing +
                                       ": there is not enough memory to build the file in; run on a machine with more");
  }
  throw Error(ErrorKind::internal, std::string("cannot ") + doing + ": CFITSIO says \"" + text +
                                       "\", which valid calls never give; please report this");
}

std::span<const std::byte> MemoryFits::finish() {
  int status = 0;
  LONGLONG end = 0;
  fits_flush_file(file_, &status);
  fits_get_hduaddrll(file_, nullptr, nullptr, &end, &status);
  check(status, "complete a FITS file in memory");
  fits_close_file(std::exchange(file_, nullptr), &status);
  check(status, "close a FITS file in memory");
  return {static_cast<const std::byte*>(memory_), static_cast<std::size_t>(end)};
}

}  // namespace srcextract
