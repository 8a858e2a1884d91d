#include "io/tables/fits_columns.hpp"

#include <string>
#include <utility>

#include "io/files/refuse.hpp"
#include "io/tables/table_memory.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Type and size of a column as CFITSIO reports them.
struct Form {
  int stored = 0;      ///< type code of the stored values; negative for columns of variable length
  int equivalent = 0;  ///< type code of the values after scaling with TSCAL and TZERO
  LONGLONG repeat = 0, width = 0;

  bool is_text() const { return stored == TSTRING; }
  bool is_complex() const { return stored == TCOMPLEX || stored == TDBLCOMPLEX; }
  std::int64_t elements() const { return is_text() ? repeat / (width > 0 ? width : 1) : repeat; }
};

Form form_of(TableMemory& table, int number, bool ascii) {
  Form form;
  LONGLONG repeat = 0, width = 0;
  int status = 0;
  fits_get_coltypell(table.get(), number, &form.stored, &form.repeat, &form.width, &status);
  fits_get_eqcoltypell(table.get(), number, &form.equivalent, &repeat, &width, &status);
  table.check(status, "find the type of column " + std::to_string(number));
  if (ascii) form.repeat = form.is_text() ? form.width : 1;
  return form;
}

/// Returns TNULL + TZERO, the scaled value that means missing, or nothing without TNULL. TZERO must be an integer.
std::optional<std::int64_t> null_value(const Header& header, const std::string& n, double zero) {
  const std::optional<std::int64_t> null = header.integer("TNULL" + n);
  if (!null) return std::nullopt;
  const auto shift = zero < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(zero))
                              : static_cast<std::uint64_t>(zero);  // up to 2^63, for unsigned 64-bit integers
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*null) + shift);
}

/// Returns the CFITSIO type in which a column of integers is read, or TDOUBLE if the values are no integers.
int integer_type(int equivalent) {
  switch (equivalent) {
    case TBYTE:
    case TSBYTE:
    case TSHORT:
    case TUSHORT:
    case TINT:
    case TLONG:  // CFITSIO's name for 32-bit integers in a file
      return TINT;
    case TUINT:
    case TULONG:
    case TLONGLONG:
      return TLONGLONG;
    case TULONGLONG:
      return TULONGLONG;
    default:
      return TDOUBLE;
  }
}

void set_type(FitsColumn& column, const Form& form, const Header& header, bool ascii) {
  const std::string n = std::to_string(column.number);
  if (form.is_text() || form.stored == TLOGICAL || form.stored == TBIT) {
    column.type = form.stored;
    if (form.stored == TLOGICAL) column.null = 2;  // see read_values() for logicals in fits_values.cpp
    return;
  }
  const double scale = header.real("TSCAL" + n).value_or(1), zero = header.real("TZERO" + n).value_or(0);
  column.type = TDOUBLE;
  column.stored_as_real = !ascii && (form.stored == TFLOAT || form.stored == TDOUBLE);
  if (ascii) {
    column.whole = integer_type(form.equivalent) != TDOUBLE;
  } else if (form.stored == TFLOAT && scale == 1 && zero == 0) {
    column.type = TFLOAT;
  } else if (!column.stored_as_real && scale == 1) {
    column.type = integer_type(form.equivalent);
    if (column.type != TDOUBLE) column.null = null_value(header, n, zero);
  }
}

}  // namespace

std::vector<FitsColumn> fits_columns(const Hdu& table, const std::string& path, std::int64_t longest) {
  const Header& header = *table.header;
  TableMemory memory(table, path, 0);
  memory.open();
  const std::int64_t count = header.integer("TFIELDS").value_or(0);
  const bool ascii = table.kind == HduKind::ascii_table;
  std::vector<FitsColumn> columns;
  const std::int64_t row = header.integer("NAXIS1").value_or(0);
  std::int64_t row_bytes = 0;  // sum of the widths in an ASCII table; TableMemory checks the sum in a binary table
  for (int number = 1; number <= count; ++number) {
    const Form form = form_of(memory, number, ascii);
    if (ascii && form.width > row - row_bytes)
      refuse_header(describe(table, path),
                    "TFORMn tell columns of more bytes than NAXIS1 = " + std::to_string(row) + " says a row has");
    if (ascii) row_bytes += form.width;
    if (form.stored < 0 || form.is_complex() || form.elements() < 1 || form.elements() > longest) continue;
    const std::string n = std::to_string(number);
    const bool is_picture = header.first_text("TDIM" + n).find(',') != std::string::npos;
    if (is_picture && longest == longest_vector) continue;
    FitsColumn column;
    column.number = number;
    column.head = {header.first_text("TTYPE" + n), header.first_text("TUNIT" + n), header.first_text("TUCD" + n),
                   header.first_text("TCOMM" + n)};
    if (column.head.name.empty()) column.head.name = "col" + n;  // as in Astropy
    column.elements = form.elements();
    column.width = form.width;
    set_type(column, form, header, ascii);
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace srcextract
