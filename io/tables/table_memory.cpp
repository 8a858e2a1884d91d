#include "io/tables/table_memory.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "io/files/refuse.hpp"
#include "io/fits/binary_columns.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/header_values.hpp"
#include "io/fits/start_cfitsio.hpp"
#include "io/fits/table_head.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

void add(std::string& cards, std::string keyword, KeywordValue value) {
  cards += format_card({std::move(keyword), std::move(value)});
}

/// Returns the width in a TFORM of an ASCII table such as `F12.5`: a letter, the width, and perhaps the number of
/// decimals. Returns nothing if the TFORM is invalid.
std::optional<std::int64_t> field_width(const std::string& form) {
  if (form.empty() || std::string_view("AIFED").find(form[0]) == std::string_view::npos) return std::nullopt;
  const char* const end = form.data() + form.size();
  std::int64_t width = 0, digits = 0;
  auto [stop, error] = std::from_chars(form.data() + 1, end, width);
  if (error != std::errc() || width < 1) return std::nullopt;
  if (stop != end && *stop == '.') {
    const auto after = std::from_chars(stop + 1, end, digits);
    if (after.ec != std::errc() || digits < 0 || digits > width) return std::nullopt;
    stop = after.ptr;
  }
  return stop == end ? std::optional(width) : std::nullopt;
}

/// Adds the cards TBCOL, TFORM and, if the header has one, TNULL of column `n` of an ASCII table. Throws Error{input}
/// if TFORM is invalid or the column does not lie within the row.
void add_ascii_column(std::string& cards, const Header& header, const std::string& n, std::int64_t row_bytes,
                      const std::string& where) {
  std::string form = header.text("TFORM" + n).value_or("");
  form.erase(0, std::min(form.find_first_not_of(' '), form.size()));
  const std::optional<std::int64_t> width = field_width(form);
  if (!width) refuse_header(where, "TFORM" + n + " = '" + form + "' is no type of a column of text");
  const std::optional<std::int64_t> begin = header.integer("TBCOL" + n, 1, row_bytes);
  if (!begin || *width > row_bytes - *begin + 1)
    refuse_header(where, "TBCOL" + n + " and TFORM" + n + " tell a column of more bytes than NAXIS1 = " +
                             std::to_string(row_bytes) + " says a row has");
  add(cards, "TBCOL" + n, *begin);
  add(cards, "TFORM" + n, form);
  if (const auto null = header.text("TNULL" + n)) add(cards, "TNULL" + n, *null);
}

/// Returns a header, in whole records, for a table of `rows` rows with the columns of `table` and no heap. All cards
/// are written from parsed values, none is copied. Throws Error{input} if the values are not those of a table; the
/// message begins with `where`.
std::string rewritten_table_header(const Hdu& table, std::int64_t rows, const std::string& where) {
  const Header& header = *table.header;
  const bool ascii = table.kind == HduKind::ascii_table;
  const std::int64_t row_bytes = header.integer("NAXIS1").value_or(0), fields = header.integer("TFIELDS").value_or(0);
  std::string cards;
  add(cards, "XTENSION", std::string(ascii ? "TABLE" : "BINTABLE"));
  add(cards, "BITPIX", std::int64_t{8});
  add(cards, "NAXIS", std::int64_t{2});
  add(cards, "NAXIS1", row_bytes);
  add(cards, "NAXIS2", rows);
  add(cards, "PCOUNT", std::int64_t{0});
  add(cards, "GCOUNT", std::int64_t{1});
  add(cards, "TFIELDS", fields);
  if (!ascii) {
    for (const BinaryColumn& column : binary_columns(header, where))
      add(cards, "TFORM" + std::to_string(column.number), form_of(column));
  }
  for (std::int64_t number = 1; number <= fields; ++number) {
    const std::string n = std::to_string(number);
    if (ascii) add_ascii_column(cards, header, n, row_bytes, where);
    if (!ascii && header.has("TNULL" + n)) {
      if (const auto null = header.integer("TNULL" + n)) add(cards, "TNULL" + n, *null);
    }
    for (const char* keyword : {"TSCAL", "TZERO"}) {
      if (const auto number_in_card = header.real(keyword + n)) add(cards, keyword + n, *number_in_card);
    }
  }
  return whole_header(std::move(cards));
}

}  // namespace

TableMemory::TableMemory(const Hdu& table, const std::string& path, std::int64_t rows) : where_(describe(table, path)) {
  start_cfitsio();
  const std::string head = empty_primary_header() + rewritten_table_header(table, rows, where_);
  begin_ = head.size();
  bytes_ = static_cast<std::size_t>(rows * table.header->integer("NAXIS1").value_or(0));
  // Adds a record of zeros after the rows. If a file in memory ends with the table, CFITSIO ignores errors in the
  // header of that table.
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

// "memory" is only a name for CFITSIO's messages. The null pointer, in place of a function like realloc, keeps CFITSIO
// from enlarging the memory.
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
  // CFITSIO's first two messages describe the problem; the others list the functions that failed.
  std::string said = text;
  for (int message = 0; fits_read_errmsg(line); ++message) {
    if (message < 2) said += std::string("; ") + line;
  }
  throw Error(ErrorKind::input, where_ + ": cannot " + doing + ": the file is damaged or not valid FITS (CFITSIO: " +
                                    said + "); `fitsverify` tells more");
}

}  // namespace srcextract
