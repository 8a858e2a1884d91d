#include "io/tile_reader.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "io/tile_check.hpp"
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

/// The length of what read_alone() returns.
std::int64_t length_alone(const Hdu& hdu) {
  return fits_record + in_records(hdu.data_begin + hdu.data_bytes - hdu.begin) + fits_record;
}

/// The records of a FITS file that holds the HDU after a primary one without data.
std::unique_ptr<std::byte[]> read_alone(const InputFile& file, const Hdu& hdu) {
  const std::int64_t length = length_alone(hdu);
  std::unique_ptr<std::byte[]> records(new (std::nothrow) std::byte[static_cast<std::size_t>(length)]());
  if (!records) throw memory_error(length, file.path(), "to read HDU " + std::to_string(hdu.index));
  const std::string primary = empty_primary_header();
  std::memcpy(records.get(), primary.data(), primary.size());
  file.read(hdu.begin, hdu.data_begin + hdu.data_bytes - hdu.begin, records.get() + fits_record);
  return records;
}

}  // namespace

std::span<const std::byte> TileReader::data() const {
  return reader_.records().subspan(static_cast<std::size_t>(hdu_.data_begin),
                                   static_cast<std::size_t>(in_records(hdu_.data_bytes)));
}

TileReader::TileReader(const InputFile& file, const Hdu& hdu)
    : records_(read_alone(file, hdu)),
      reader_({records_.get(), static_cast<std::size_t>(length_alone(hdu))}, file.path(), hdu.index - 1) {
  reader_.next();
  const std::optional<Hdu> read = reader_.next();
  if (!read || read->kind != hdu.kind || read->bitpix != hdu.bitpix || read->axes != hdu.axes ||
      read->data_bytes != hdu.data_bytes) {
    throw Error(ErrorKind::input,
                describe(hdu, file.path()) + " changed while it was read; do not write to the file meanwhile");
  }
  hdu_ = *read;
  check_tiles(reader_, hdu_);
  scaled_floats_ = has_quantised_floats(reader_, hdu_);
  // The values as stored: BSCALE and BZERO, also those of the unsigned conventions, are applied once, by the caller.
  int status = 0;
  fits_set_bscale(reader_.get(), 1.0, 0.0, &status);
  reader_.check(status, "read the pixels unscaled");
}

void TileReader::read(std::int64_t plane, std::int64_t first, std::int64_t count, std::byte* out) {
  const std::lock_guard turn(mutex_);
  const std::int64_t width = hdu_.axes[0], bytes = std::abs(hdu_.bitpix) / 8;
  while (count > 0) {
    const std::int64_t x = first % width, y = first / width;
    const bool whole_rows = x == 0 && count >= width;
    const std::int64_t columns = std::min(width - x, count), rows = whole_rows ? count / width : 1;
    read_rectangle(plane, x, y, columns, rows, out);
    first += columns * rows;
    count -= columns * rows;
    out += columns * rows * bytes;
  }
}

void TileReader::read_rectangle(std::int64_t plane, std::int64_t x, std::int64_t y, std::int64_t width,
                                std::int64_t height, std::byte* out) {
  const std::size_t dimensions = hdu_.axes.size();
  std::vector<long> first(dimensions, 1), last(dimensions, 1), step(dimensions, 1);
  first[0] = x + 1;
  last[0] = x + width;
  if (dimensions > 1) {
    first[1] = y + 1;
    last[1] = y + height;
  }
  for (std::size_t axis = 2; axis < dimensions; ++axis) {
    first[axis] = last[axis] = plane % hdu_.axes[axis] + 1;
    plane /= hdu_.axes[axis];
  }
  // Null pixels of integers keep the value of BLANK, which the caller knows; those of floats kept as scaled integers
  // become NaN here. Floats that are kept as they are need no check, which would make NaN of infinities, too.
  float nan = std::numeric_limits<float>::quiet_NaN();
  double wide_nan = nan;
  void* null_value = hdu_.bitpix == -32 ? static_cast<void*>(&nan) : &wide_nan;
  if (!scaled_floats_) null_value = nullptr;
  int status = 0, any_null = 0;
  fits_clear_errmsg();
  fits_read_subset(reader_.get(), cfitsio_type(hdu_.bitpix), first.data(), last.data(), step.data(), null_value, out,
                   &any_null, &status);
  reader_.check(status, "decompress the image");
}

}  // namespace srcextract
