#include "io/tables/fits_rows.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t bytes_at_a_time = std::int64_t{1} << 22;
constexpr std::size_t card_length = 80;

std::string integer_card(std::string keyword, std::int64_t value) {
  keyword.resize(8, ' ');
  std::string number = std::to_string(value);
  number.insert(0, 20 - number.size(), ' ');
  std::string card = keyword + "= " + number;
  card.resize(card_length, ' ');
  return card;
}

}  // namespace

FitsRows::FitsRows(const InputFile& file, FitsReader& reader, const Hdu& table)
    : file_(file), table_(table), cards_(table.cards) {
  rows_ = reader.integer("NAXIS2").value_or(0);
  row_bytes_ = reader.integer("NAXIS1").value_or(0);
  // The reader has found that data_bytes, which is at least rows times bytes, is a number.
  if (table.data_bytes <= file.size() - table.data_begin) return;
  throw Error(ErrorKind::input, reader.where() + " is truncated: its " + std::to_string(rows_) + " rows of " +
                                    std::to_string(row_bytes_) + " bytes, and what follows them, end at byte " +
                                    std::to_string(table.data_begin + table.data_bytes) + ", the file at " +
                                    std::to_string(file.size()) + "; fetch or make it again");
}

std::int64_t FitsRows::rows_at_a_time() const {
  return std::max<std::int64_t>(bytes_at_a_time / std::max<std::int64_t>(row_bytes_, 1), 1);
}

/// That of the table, with so many rows and nothing after them.
std::string FitsRows::header(std::int64_t rows) const {
  std::string header = empty_primary_header();
  for (std::string_view cards = cards_; !cards.empty(); cards.remove_prefix(card_length)) {
    const std::string_view card = cards.substr(0, card_length);
    if (card.starts_with("NAXIS2  ")) {
      header += integer_card("NAXIS2", rows);
    } else if (card.starts_with("PCOUNT  ")) {
      header += integer_card("PCOUNT", 0);
    } else if (!card.starts_with("THEAP   ")) {
      header += card;
    }
  }
  header.resize(static_cast<std::size_t>(in_records(std::ssize(header))), ' ');
  return header;
}

FitsReader& FitsRows::read(std::int64_t begin, std::int64_t count) {
  reader_.reset();
  const std::string head = header(count);
  const std::int64_t bytes = count * row_bytes_;
  records_.assign(head.size() + static_cast<std::size_t>(in_records(bytes) + fits_record), std::byte{0});
  std::memcpy(records_.data(), head.data(), head.size());
  file_.read(table_.data_begin + begin * row_bytes_, bytes, records_.data() + head.size());
  reader_.emplace(records_, file_.path(), table_.index - 1);
  reader_->next();
  const std::optional<Hdu> table = reader_->next();
  if (!table || table->kind != table_.kind || table->data_bytes != bytes) {
    throw Error(ErrorKind::input, describe(table_, file_.path()) +
                                      ": the header contradicts itself, or changed while it was read; make the file "
                                      "again, and do not write to it meanwhile");
  }
  return *reader_;
}

}  // namespace srcextract
