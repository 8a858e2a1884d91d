#include "io/tables/table_stream.hpp"

#include <fitsio.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Largest number of columns of a table (FITS Standard 4.0, 7.3.1).
constexpr std::ptrdiff_t most_fits_columns = 999;

/// Cards that hold the place of the checksums until all rows are written.
constexpr std::string_view no_checksum = "CHECKSUM= '0000000000000000'", no_datasum = "DATASUM = '0         '";

/// Sets DATASUM to `data`, the checksum of the rows. Sets CHECKSUM to the text that makes the ones' complement sum of
/// all words of the HDU -0.
void enter_checksums(std::string& header, std::uint32_t data) {
  std::string text = std::to_string(data);
  text.resize(10, ' ');
  header.replace(header.find(no_datasum) + 11, text.size(), text);
  Datasum sum;
  sum.add(0, reinterpret_cast<const std::byte*>(header.data()), std::ssize(header));
  const std::uint64_t both = std::uint64_t{*sum.of(std::ssize(header))} + data;
  char encoded[FLEN_VALUE] = "";
  fits_encode_chksum((both & 0xffffffff) + (both >> 32), 1, encoded);
  header.replace(header.find(no_checksum) + 11, 16, encoded, 16);
}

std::int64_t bytes_of(const TableHead& head) {
  std::int64_t row = 0;
  for (const StoredColumn& column : head.columns) row += column.bytes;
  return head.rows * row;
}

}  // namespace

TableStream::TableStream(const std::string& path) : file_(path) {
  const std::string primary = empty_primary_header();
  file_.write(primary);
  begin_ = std::ssize(primary);
}

void TableStream::begin(const TableHead& head) {
  end();
  if (std::ssize(head.columns) > most_fits_columns)
    throw Error(ErrorKind::config, "the table " + head.name + " would have " + std::to_string(head.columns.size()) +
                                       " columns, and one of FITS has " + std::to_string(most_fits_columns) +
                                       " at most; name fewer keywords (output.header_keywords)");
  header_ = table_header(head, Checksums::placeholders).substr(fits_record);
  expected_ = bytes_of(head);
  sum_.emplace();
  file_.write(header_);
}

void TableStream::write(std::span<const std::byte> rows) {
  file_.write(rows);
  sum_->add(bytes_, rows.data(), std::ssize(rows));
  bytes_ += std::ssize(rows);
}

void TableStream::end() {
  if (header_.empty()) return;
  if (bytes_ != expected_)
    throw Error(ErrorKind::internal, "a table was given " + std::to_string(bytes_) + " bytes of rows, not " +
                                         std::to_string(expected_) + "; please report this");
  fill_record(file_, bytes_);
  enter_checksums(header_, *sum_->of(bytes_));
  file_.overwrite(begin_, header_);
  begin_ += std::ssize(header_) + in_records(bytes_);
  bytes_ = 0;
}

std::vector<OutputFile> TableStream::finish() {
  end();
  std::vector<OutputFile> files;
  files.push_back(std::move(file_));
  return files;
}

void FileTables::commit(std::vector<OutputFile> beside) {
  std::vector<OutputFile> files = finish();
  std::ranges::move(beside, std::back_inserter(files));
  srcextract::commit(files);
}

}  // namespace srcextract
