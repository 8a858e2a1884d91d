#include "io/tables/table_stream.hpp"

#include <string_view>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/memory_fits.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// The text that fits into one card.
constexpr std::size_t one_card = 68;

/// Most columns of a table (FITS Standard 4.0, 7.3.1).
constexpr std::ptrdiff_t most_fits_columns = 999;

void create_table(MemoryFits& fits, TableHead& head) {
  std::vector<char*> names, forms, units;
  for (StoredColumn& column : head.columns) {
    names.push_back(column.name.data());
    forms.push_back(column.form.data());
    units.push_back(column.unit.data());
  }
  int status = 0;
  fits_create_tbl(fits.get(), BINARY_TBL, 0, static_cast<int>(names.size()), names.data(), forms.data(), units.data(),
                  head.name.c_str(), &status);
  fits.check(status, "create a table");
}

void write_cards(MemoryFits& fits, const TableHead& head) {
  int status = 0, number = 0;
  const auto write = [&](const std::string& keyword, const std::string& text) {
    if (text.empty()) return;
    if (text.size() > one_card) fits_write_key_longwarn(fits.get(), &status);
    fits_write_key_longstr(fits.get(), keyword.c_str(), text.c_str(), nullptr, &status);
  };
  for (const StoredColumn& column : head.columns) {
    const std::string n = std::to_string(++number);
    write("TDIM" + n, column.dim);
    write("TCOMM" + n, column.description);
    write("TUCD" + n, column.ucd);
    if (column.null) fits_write_key_lng(fits.get(), ("TNULL" + n).c_str(), *column.null, "there is none", &status);
  }
  fits_write_key_str(fits.get(), "CREATOR", head.creator.c_str(), "program that wrote this file", &status);
  fits_write_key_str(fits.get(), "CHECKSUM", "0000000000000000", "of the HDU", &status);
  fits_write_key_str(fits.get(), "DATASUM", "0         ", "of the rows", &status);
  for (const std::string& line : head.history) fits_write_history(fits.get(), line.c_str(), &status);
  fits.check(status, "write the header of a table");
}

/// Placeholders for the checksums while the rows are unknown.
constexpr std::string_view no_checksum = "CHECKSUM= '0000000000000000'", no_datasum = "DATASUM = '0         '";

/// Enters the checksums of the header and of data with sum `data`. The characters of CHECKSUM make the sum of all words
/// of the HDU -0.
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

/// The header of the extension. CFITSIO is given 0 rows, since it would reserve space for rows.
std::string make_header(TableHead head) {
  MemoryFits fits;
  create_table(fits, head);
  write_cards(fits, head);
  const std::span<const std::byte> bytes = fits.finish().subspan(fits_record);
  std::string header(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view no_rows = "NAXIS2  =                    0 ";
  std::string count = std::to_string(head.rows);
  count.insert(0, 20 - count.size(), ' ');
  return header.replace(header.find(no_rows) + 10, count.size(), count);
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
  header_ = make_header(head);
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
  file_.write(std::vector<std::byte>(static_cast<std::size_t>(in_records(bytes_) - bytes_)));
  enter_checksums(header_, *sum_->of(bytes_));
  file_.overwrite(begin_, header_);
  begin_ += std::ssize(header_) + in_records(bytes_);
  bytes_ = 0;
}

void TableStream::commit() {
  end();
  file_.commit();
}

}  // namespace srcextract
