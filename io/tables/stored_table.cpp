#include "io/tables/stored_table.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "io/files/refuse.hpp"
#include "io/fits/card.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/hdu_selection.hpp"
#include "io/tables/fits_columns.hpp"

namespace srcextract {
namespace {

/// Position of NAXIS2, the fifth card of a table header. The value is right-justified in columns 11 to 30 of the card
/// (FITS Standard 4.0, 4.2).
constexpr std::size_t rows_card = 4 * card_length;
constexpr std::size_t value_begin = 10, value_length = 20;

std::optional<std::int64_t> count_in(std::string_view field) {
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  std::int64_t count = 0;
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), count);
  const bool whole = error == std::errc() && stop == field.data() + field.size() && count >= 0;
  return whole ? std::optional(count) : std::nullopt;
}

std::vector<std::string> history_in(std::string_view cards) {
  constexpr std::string_view keyword = "HISTORY ";
  std::vector<std::string> lines;
  for (; !cards.empty(); cards.remove_prefix(card_length)) {
    const std::string_view card = cards.substr(0, card_length);
    if (!card.starts_with(keyword)) continue;
    const std::string_view text = card.substr(keyword.size());
    lines.emplace_back(text.substr(0, text.find_last_not_of(' ') + 1));
  }
  return lines;
}

std::string text_of(const Header& header, const std::string& keyword, int number) {
  return header.text(keyword + std::to_string(number)).value_or("");
}

std::vector<StoredColumn> stored_columns(const Hdu& hdu, const std::string& path, std::int64_t row_bytes) {
  std::vector<StoredColumn> columns;
  std::int64_t bytes = 0;
  for (const FitsColumn& column : fits_columns(hdu, path, std::numeric_limits<std::int64_t>::max())) {
    const ColumnHead& head = column.head;
    const std::int64_t width = column.elements * column.width;
    columns.push_back({.name = head.name,
                       .form = text_of(*hdu.header, "TFORM", column.number),
                       .unit = head.unit,
                       .ucd = head.ucd,
                       .description = head.description,
                       .bytes = width,
                       .dim = text_of(*hdu.header, "TDIM", column.number)});
    bytes += width;
  }
  if (columns.empty() || bytes != row_bytes)
    refuse(describe(hdu, path),
           "the columns are not those of a catalogue that srcextract wrote; the header is damaged, or "
           "another program's file took its place");
  return columns;
}

/// Reads `count` bytes from `begin` on, or fewer if the file ends earlier.
std::string read_text(const InputFile& file, std::int64_t begin, std::int64_t count) {
  std::string text(static_cast<std::size_t>(std::clamp<std::int64_t>(file.size() - begin, 0, count)), '\0');
  file.read(begin, std::ssize(text), reinterpret_cast<std::byte*>(text.data()));
  return text;
}

void require_rows(const StoredTable& table, const InputFile& file) {
  const std::int64_t room = file.size() - table.data_begin;
  if (table.row_bytes > 0 && table.rows > room / table.row_bytes)
    refuse(file.path(),
           "the file is truncated: it ends before the last of its " + std::to_string(table.rows) + " rows");
}

}  // namespace

const StoredTable& StoredTableReader::read(const InputFile& file) {
  if (!read_alike(file)) parse(file);
  require_rows(table_, file);
  return table_;
}

bool StoredTableReader::read_alike(const InputFile& file) {
  if (header_.empty() || file.size() < std::ssize(header_)) return false;
  // Reads four FITS records after the expected header, which nearly always hold all image cards.
  const std::string begin = read_text(file, 0, std::ssize(header_) + 4 * fits_record);
  const std::string_view header = std::string_view(begin).substr(0, header_.size());
  const std::size_t rest = rows_at_ + value_length;
  if (header.substr(0, rows_at_) != std::string_view(header_).substr(0, rows_at_)) return false;
  if (header.substr(rest) != std::string_view(header_).substr(rest)) return false;
  const std::optional<std::int64_t> rows = count_in(header.substr(rows_at_, value_length));
  std::optional<ImageCards> image = read_image_cards(std::string_view(begin).substr(header_.size()));
  if (!rows || !image) return false;
  table_.rows = *rows;
  table_.image = std::move(image->facts);
  table_.data_begin = in_records(std::ssize(header_) + static_cast<std::int64_t>(image->bytes));
  return true;
}

void StoredTableReader::parse(const InputFile& file) {
  header_.clear();
  FitsReader reader(file);
  reader.next();
  const std::optional<Hdu> hdu = reader.next();
  if (!hdu) refuse(file.path(), "there is no catalogue in the file: it has no extension");
  if (hdu->kind != HduKind::binary_table)
    refuse(reader.where(), "this is no catalogue but of the kind '" + kind_of(*hdu) + "'");
  StoredTable table;
  table.rows = hdu->header->integer("NAXIS2").value_or(0);
  table.row_bytes = hdu->header->integer("NAXIS1").value_or(0);
  table.data_begin = hdu->data_begin;
  table.columns = stored_columns(*hdu, file.path(), table.row_bytes);
  table.history = history_in(hdu->cards);
  const std::size_t image_begin = image_cards_begin(hdu->cards);
  if (std::optional<ImageCards> image = read_image_cards(hdu->cards.substr(image_begin)))
    table.image = std::move(image->facts);
  table_ = std::move(table);
  if (file.size() < hdu->data_begin) refuse(file.path(), "the file is truncated: it ends in its header");
  header_ = read_text(file, 0, hdu->begin + static_cast<std::int64_t>(image_begin));
  rows_at_ = static_cast<std::size_t>(hdu->begin) + rows_card + value_begin;
}

}  // namespace srcextract
