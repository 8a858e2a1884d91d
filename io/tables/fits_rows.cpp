#include "io/tables/fits_rows.hpp"

#include <algorithm>
#include <string>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t bytes_at_a_time = std::int64_t{1} << 22;

}  // namespace

FitsRows::FitsRows(const InputFile& file, const Hdu& table) : file_(file), table_(table) {
  rows_ = table.header->integer("NAXIS2").value_or(0);
  row_bytes_ = table.header->integer("NAXIS1").value_or(0);
  // No overflow: the reader checked data_bytes, which is at least rows times row bytes.
  if (table.data_bytes <= file.size() - table.data_begin) return;
  throw Error(ErrorKind::input, describe(table, file.path()) + " is truncated: its " + std::to_string(rows_) +
                                    " rows of " + std::to_string(row_bytes_) +
                                    " bytes, and what follows them, end at byte " +
                                    std::to_string(table.data_begin + table.data_bytes) + ", the file at " +
                                    std::to_string(file.size()) + "; fetch or make it again");
}

std::int64_t FitsRows::rows_at_a_time() const {
  return std::max<std::int64_t>(bytes_at_a_time / std::max<std::int64_t>(row_bytes_, 1), 1);
}

TableMemory& FitsRows::read(std::int64_t begin, std::int64_t count) {
  memory_.emplace(table_, file_.path(), count);
  file_.read(table_.data_begin + begin * row_bytes_, count * row_bytes_, memory_->rows().data());
  memory_->open();
  return *memory_;
}

}  // namespace srcextract
