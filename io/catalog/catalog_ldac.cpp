#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/catalog/binary_rows.hpp"
#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/ldac_head.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/fits/card.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/table_head.hpp"

namespace srcextract {
namespace {

/// Returns true if SExtractor stores the column in single precision or 32 bits. PSFEx assumes SExtractor's types for
/// most columns and ignores TFORM. SExtractor stores moments and most positions in double precision.
bool is_narrow(const Column& column, bool integer) {
  constexpr std::string_view counts[] = {"IMAFLAGS_", "ISOAREA", "NIMAFLAGS", "NLOWWEIG", "NLOWDWEIG", "ID_PARENT"};
  constexpr std::string_view numbers[] = {"THETA", "ERRTHETA", "CXX",   "CXY",   "CYY",      "ELONG",
                                          "ELLIP", "FLUX",     "MAG",   "MU_",   "FWHM",     "KRON_",
                                          "SNR",   "PETRO_",   "CLASS", "BACKG", "THRESHOLD"};
  constexpr std::string_view axes[] = {"A", "AWIN", "B", "BWIN", "ERRA", "ERRAWIN", "ERRB", "ERRBWIN"};
  const std::string_view name = column.name;
  const auto begins = [&](std::string_view with) { return name.starts_with(with); };
  const auto is_axis = [&](std::string_view axis) {
    return begins(axis) &&
           (name.substr(axis.size()).starts_with("_IMAGE") || name.substr(axis.size()).starts_with("_WORLD"));
  };
  if (integer) return std::ranges::any_of(counts, begins);
  return std::ranges::any_of(numbers, begins) || std::ranges::any_of(axes, is_axis);
}

class Cards {
 public:
  void add(const HeaderValue& value, std::string_view comment = {}) { text_ += format_card(value, comment); }

  void add_text(const std::string& keyword, const std::string& text, std::string_view comment = {}) {
    if (text.empty()) return;
    constexpr std::size_t room = 65, shortest = 8;  // bytes of value and comment in a card, without separators;
                                                    // fewest bytes of a text value
    add({keyword, printable_ascii(text)}, comment.substr(0, room - std::min(room, std::max(shortest, text.size()))));
  }

  /// Adds a text as HISTORY cards, as many as the text needs.
  void add_history(std::string text) {
    constexpr std::size_t room = card_length - keyword_length;
    text = printable_ascii(std::move(text));
    do {
      text_ += "HISTORY " + text.substr(0, room);
      text_.resize((text_.size() + card_length - 1) / card_length * card_length, ' ');
      text.erase(0, room);
    } while (!text.empty());
  }

  std::string finish() && { return whole_header(std::move(text_)); }

 private:
  std::string text_;
};

Cards ldac_cards(const std::string& name, std::int64_t row_bytes, std::int64_t rows, std::int64_t fields) {
  Cards cards;
  cards.add({"XTENSION", std::string("BINTABLE")}, "a binary table");
  cards.add({"BITPIX", std::int64_t{8}});
  cards.add({"NAXIS", std::int64_t{2}});
  cards.add({"NAXIS1", row_bytes}, "bytes of a row");
  cards.add({"NAXIS2", rows}, "rows");
  cards.add({"PCOUNT", std::int64_t{0}});
  cards.add({"GCOUNT", std::int64_t{1}});
  cards.add({"TFIELDS", fields}, "columns");
  cards.add_text("EXTNAME", name, "name of the table");
  return cards;
}

/// Writes the LDAC_IMHEAD table of one row and one column, which holds the image header.
void write_head(OutputFile& file, const std::string& image_head) {
  const std::string head = image_head.empty() ? ldac_head(empty_primary_header(), {}, {}) : image_head;
  const std::int64_t bytes = std::ssize(head), lines = bytes / std::int64_t{card_length};
  Cards cards = ldac_cards("LDAC_IMHEAD", bytes, 1, 1);
  cards.add_text("TTYPE1", "Field Header Card");
  cards.add_text("TFORM1", std::to_string(bytes) + "A");
  cards.add_text("TDIM1", "(" + std::to_string(card_length) + ", " + std::to_string(lines) + ")");
  file.write(std::move(cards).finish());
  file.write(head);
  fill_record(file, bytes);
}

/// Returns the value of the TDISP keyword of a column, the format in which LDAC tools print its values.
std::string display(const BinaryForm& form) {
  switch (form.letter) {
    case 'A':
      return "A" + std::to_string(form.repeat);
    case 'I':
      return "I6";
    case 'J':
      return "I11";
    case 'K':
      return "I20";
    case 'E':
      return "E15.8";
    default:
      return "E24.16";
  }
}

std::string objects_header(const char* name, const CatalogRows& rows, const std::vector<BinaryForm>& forms,
                           std::int64_t count, const CatalogMetadata& metadata) {
  Cards cards = ldac_cards(name, row_bytes(forms), count, std::ssize(rows.fields));
  const std::vector<std::string> names = fits_names(rows);
  std::size_t number = 0;
  for_each_field(rows, [&](const Column& column, const auto&) {
    const BinaryForm& form = forms[number];
    const std::string& called = names[number];
    const std::string n = std::to_string(++number);
    cards.add_text("TTYPE" + n, called, printable_ascii(column.description));
    cards.add_text("TFORM" + n, std::to_string(form.repeat) + form.letter);
    cards.add_text("TDIM" + n, form.tdim);
    cards.add_text("TUNIT" + n, unit_of(column, metadata));
    cards.add_text("TDISP" + n, display(form));
  });
  cards.add_text("CREATOR", "srcextract " + metadata.version, "program that wrote this file");
  for (const std::string& line : history_lines(metadata)) cards.add_history(line);
  return std::move(cards).finish();
}

}  // namespace

std::unique_ptr<RowSink> sextractor_table_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                               const CatalogMetadata& metadata, const Cpu& where,
                                               SextractorTable table) {
  require_columns_fit(rows);
  std::vector<BinaryForm> forms = binary_forms(rows, is_narrow);
  const bool ldac = table == SextractorTable::ldac;
  if (file.size() == 0) file.write(empty_primary_header());
  if (ldac) write_head(file, metadata.head);
  file.write(objects_header(ldac ? "LDAC_OBJECTS" : "OBJECTS", rows, forms, count, metadata));
  return binary_sink(file, std::move(forms), count, where);
}

std::unique_ptr<RowSink> ldac_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                   const CatalogMetadata& metadata, const Cpu& where) {
  return sextractor_table_sink(file, rows, count, metadata, where, SextractorTable::ldac);
}

}  // namespace srcextract
