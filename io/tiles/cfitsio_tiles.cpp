#include "io/tiles/cfitsio_tiles.hpp"

#include <limits>
#include <utility>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

int cfitsio_type(int bitpix) {
  switch (bitpix) {
    case 8:
      return TBYTE;
    case 16:
      return TSHORT;
    case 32:
      return TINT;
    case -32:
      return TFLOAT;
    default:
      return TDOUBLE;
  }
}

}  // namespace

CfitsioTiles::Handle::Handle(std::span<const std::byte> records, const std::string& path, int index)
    : reader(records, path, index - 1) {
  reader.next();
  hdu = reader.next().value_or(Hdu{});
}

CfitsioTiles::CfitsioTiles(std::span<const std::byte> records, std::string path, const Hdu& hdu)
    : records_(records), path_(std::move(path)) {
  free_.push_back(std::make_unique<Handle>(records_, path_, hdu.index));
  hdu_ = free_.front()->hdu;
  if (hdu_.kind == hdu.kind && hdu_.bitpix == hdu.bitpix && hdu_.axes == hdu.axes &&
      hdu_.data_bytes == hdu.data_bytes) {
    return;
  }
  throw Error(ErrorKind::input,
              describe(hdu, path_) + " changed while it was read; do not write to the file meanwhile");
}

std::unique_ptr<CfitsioTiles::Handle> CfitsioTiles::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Handle> handle = std::move(free_.back());
      free_.pop_back();
      return handle;
    }
  }
  return std::make_unique<Handle>(records_, path_, hdu_.index);
}

void CfitsioTiles::give_back(std::unique_ptr<Handle> handle) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(handle));
}

void CfitsioTiles::read(std::vector<long> first, std::vector<long> last, bool nulls, std::byte* out) {
  // Null pixels of integers keep the value of BLANK, which the caller knows. Floats that are kept as they are need no
  // check, which would make NaN of infinities, too.
  float nan = std::numeric_limits<float>::quiet_NaN();
  double wide_nan = nan;
  void* null_value = hdu_.bitpix == -32 ? static_cast<void*>(&nan) : &wide_nan;
  if (!nulls) null_value = nullptr;
  std::vector<long> step(first.size(), 1);
  std::unique_ptr<Handle> handle = take();
  fitsfile* const fits = handle->reader.get();
  int status = 0, any_null = 0;
  fits_clear_errmsg();
  // The values as stored: BSCALE and BZERO, also those of the unsigned conventions, are applied once, by the caller.
  fits_set_bscale(fits, 1.0, 0.0, &status);
  fits_read_subset(fits, cfitsio_type(hdu_.bitpix), first.data(), last.data(), step.data(), null_value, out, &any_null,
                   &status);
  handle->reader.check(status, "decompress the image");
  give_back(std::move(handle));
}

}  // namespace srcextract
