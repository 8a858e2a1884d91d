#include "io/tables/table_memory.hpp"

#include <cstring>
#include <utility>

#include "io/fits/start_cfitsio.hpp"
#include "io/tables/table_header.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

TableMemory::TableMemory(const Hdu& table, const std::string& path, std::int64_t rows) : where_(describe(table, path)) {
  start_cfitsio();
  const std::string head = empty_primary_header() + rewritten_table_header(table, rows, where_);
  begin_ = head.size();
  bytes_ = static_cast<std::size_t>(rows * table.header->integer("NAXIS1").value_or(0));
  // A record of zeros follows, because CFITSIO drops errors in the last header of a memory file.
  records_.resize(begin_ + static_cast<std::size_t>(in_records(static_cast<std::int64_t>(bytes_)) + fits_record));
  std::memcpy(records_.data(), head.data(), head.size());
}

TableMemory::~TableMemory() {
  int status = 0;
  if (fits_) fits_close_file(fits_, &status);
}

std::span<std::byte> TableMemory::rows() {
  return {records_.data() + begin_, bytes_};
}

// "memory" only names the memory file. Without a reallocation function CFITSIO never enlarges the memory.
void TableMemory::open() {
  memory_ = records_.data();
  length_ = records_.size();
  int status = 0, type = 0;
  fits_clear_errmsg();
  fits_open_memfile(&fits_, "memory", READONLY, &memory_, &length_, 0, nullptr, &status);
  fits_movabs_hdu(fits_, 2, &type, &status);
  check(status, "read the header");
}

void TableMemory::check(int status, const std::string& doing) const {
  if (status == 0) return;
  if (status == MEMORY_ALLOCATION) {
    fits_clear_errmsg();
    throw Error(ErrorKind::memory,
                where_ + ": not enough memory to " + doing + " (CFITSIO could get no more); run with more memory");
  }
  char text[FLEN_STATUS] = "", line[FLEN_ERRMSG] = "";
  fits_get_errstatus(status, text);
  // The first two messages tell the problem; the others list the failed functions.
  std::string said = text;
  for (int message = 0; fits_read_errmsg(line); ++message) {
    if (message < 2) said += std::string("; ") + line;
  }
  throw Error(ErrorKind::input, where_ + ": cannot " + doing + ": the file is damaged or not valid FITS (CFITSIO: " +
                                    said + "); `fitsverify` tells more");
}

}  // namespace srcextract
