#include "survey/merge/merge_rows.hpp"

#include <algorithm>
#include <cstring>

#include "survey/formats/piece.hpp"

namespace srcextract {

std::uint32_t RowWriter::copy(const InputFile& file, std::int64_t rows, std::int64_t data_begin, const RowPlan& plan,
                              std::string_view first) {
  std::vector<std::byte> blank = plan.blank;
  std::memcpy(blank.data(), first.data(), first.size());
  Crc32 read;
  add_to(read, file, 0, data_begin);
  const auto row_bytes = static_cast<std::int64_t>(plan.catalog_row_bytes);
  // Number of rows that are converted at a time. The longer of a read row and a written row counts, since a written row
  // also has the text IMAGE, which may be long.
  const auto at_a_time = static_cast<std::int64_t>(rows_in_piece(std::max(plan.catalog_row_bytes, blank.size())));
  for (std::int64_t row = 0; row < rows; row += at_a_time) {
    const std::int64_t count = std::min(at_a_time, rows - row);
    add_to(read, file, data_begin + row * row_bytes, count * row_bytes);
    add(static_cast<std::size_t>(count), plan, blank);
  }
  const std::int64_t data_end = data_begin + rows * row_bytes;
  add_to(read, file, data_end, file.size() - data_end);
  return read.value();
}

void RowWriter::flush() {
  out_.write(rows_);
  rows_.clear();
}

void RowWriter::add_to(Crc32& read, const InputFile& file, std::int64_t begin, std::int64_t count) {
  stored_.resize(std::max(stored_.size(), static_cast<std::size_t>(count)));
  file.read(begin, count, stored_.data());
  read.add(std::span(stored_).first(static_cast<std::size_t>(count)));
}

void RowWriter::add(std::size_t count, const RowPlan& plan, const std::vector<std::byte>& blank) {
  const std::size_t begin = rows_.size();
  std::size_t end = begin;
  rows_.resize(end + count * blank.size());
  for (std::size_t row = 0; row < count; ++row, end += blank.size()) {
    std::memcpy(rows_.data() + end, blank.data(), blank.size());
    const std::byte* from = stored_.data() + row * plan.catalog_row_bytes;
    for (const RowPlan::Piece& piece : plan.pieces)
      std::memcpy(rows_.data() + end + piece.to, from + piece.from, piece.bytes);
  }
  if (seen_) seen_(std::span(rows_).subspan(begin));
  if (rows_.size() >= piece_bytes) flush();
}

}  // namespace srcextract
