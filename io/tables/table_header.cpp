#include "io/tables/table_header.hpp"

#include <algorithm>
#include <charconv>

#include "io/files/refuse.hpp"
#include "io/fits/binary_columns.hpp"
#include "io/fits/header_values.hpp"

namespace srcextract {
namespace {

void add(std::string& cards, std::string keyword, KeywordValue value) {
  cards += format_card({std::move(keyword), std::move(value)});
}

/// Width of a field in a form such as `F12.5`: a letter, the width, the decimals. Nothing for an invalid form.
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

/// Adds place, type and null text of a column of an ASCII table.
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

}  // namespace

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
  cards += "END";
  cards.resize(static_cast<std::size_t>(in_records(std::ssize(cards))), ' ');
  return cards;
}

}  // namespace srcextract
