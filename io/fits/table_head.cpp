#include "io/fits/table_head.hpp"

#include <cstddef>
#include <span>

#include "io/files/input_file.hpp"
#include "io/fits/memory_fits.hpp"

namespace srcextract {
namespace {

/// Number of characters of a text that fit into one card.
constexpr std::size_t one_card = 68;

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

void write_cards(MemoryFits& fits, const TableHead& head, Checksums checksums) {
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
  if (checksums == Checksums::placeholders) {
    fits_write_key_str(fits.get(), "CHECKSUM", "0000000000000000", "of the HDU", &status);
    fits_write_key_str(fits.get(), "DATASUM", "0         ", "of the rows", &status);
  }
  for (const std::string& line : head.history) fits_write_history(fits.get(), line.c_str(), &status);
  fits.check(status, "write the header of a table");
}

}  // namespace

// The table is created with 0 rows, and with_rows() sets the number later. With more rows, CFITSIO would reserve space
// for the rows and then count them wrong.
std::string table_header(TableHead head, Checksums checksums) {
  MemoryFits fits;
  create_table(fits, head);
  write_cards(fits, head, checksums);
  const std::span<const std::byte> bytes = fits.finish();
  return with_rows({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, head.rows);
}

std::string with_rows(std::string header, std::int64_t rows) {
  constexpr std::string_view name = "NAXIS2  = ";
  std::string count = std::to_string(rows);
  count.insert(0, 20 - count.size(), ' ');
  return header.replace(header.find(name) + name.size(), count.size(), count);
}

std::string whole_header(std::string cards) {
  cards += "END";
  cards.resize(static_cast<std::size_t>(in_records(std::ssize(cards))), ' ');
  return cards;
}

void fill_record(OutputFile& file, std::int64_t bytes) {
  file.write(std::vector<std::byte>(static_cast<std::size_t>(in_records(bytes) - bytes)));
}

}  // namespace srcextract
