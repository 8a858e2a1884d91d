#include "io/fits/read_number_tables.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "io/files/input_file.hpp"
#include "io/fits/binary_columns.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/fits_size.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t most_file_bytes = std::int64_t{256} << 20, most_values = std::int64_t{1} << 24;

void read_cards(const Header& header, NumberTable& table) {
  for (const std::string_view keyword : header.keywords()) {
    const CardValue card = header.find(keyword);
    if (!card.readable()) continue;
    if (const auto* const text = std::get_if<std::string>(&*card.value))
      table.cards.emplace(keyword, *text);
    else if (const std::optional<double> number = as_real(*card.value))
      table.cards.emplace(keyword, *number);
  }
}

void read_columns(const Hdu& hdu, const InputFile& file, NumberTable& table) {
  if (table.rows < 1) return;
  if (hdu.data_bytes > file.size() - hdu.data_begin)
    throw Error(ErrorKind::config,
                describe(hdu, file.path()) + " is longer than the file, which is cut short or damaged; make it again");
  for (const BinaryColumn& column : binary_columns(*hdu.header, describe(hdu, file.path()))) {
    const std::int64_t bytes = element_bytes(column.type);
    if (column.variable || column.repeat < 1 || column.repeat > most_values || bytes == 0) continue;
    std::vector<std::byte> stored(static_cast<std::size_t>(column.repeat * bytes));
    if (!load_number(column.type, stored.data())) continue;
    file.read(hdu.data_begin + column.begin, std::ssize(stored), stored.data());
    std::vector<double>& values = table.columns[column.name];
    for (std::int64_t i = 0; i < column.repeat; ++i)
      values.push_back(*load_number(column.type, stored.data() + i * bytes));
  }
}

std::vector<NumberTable> read_tables(const std::string& path) {
  const InputFile file(path, fits_size_needed(path, most_file_bytes));
  if (file.size() > most_file_bytes)
    throw Error(ErrorKind::config, path + " is larger than 256 MiB; is it the right file?");
  std::vector<NumberTable> tables;
  FitsReader reader(file);
  while (const std::optional<Hdu> hdu = reader.next()) {
    if (hdu->kind != HduKind::binary_table) continue;
    NumberTable& table = tables.emplace_back();
    table.name = hdu->name;
    table.rows = hdu->header->integer("NAXIS2", 0).value_or(0);
    read_cards(*hdu->header, table);
    read_columns(*hdu, file, table);
  }
  return tables;
}

}  // namespace

std::vector<NumberTable> read_number_tables(const std::string& path) {
  try {
    return read_tables(path);
  } catch (const Error& error) {
    throw Error(
        error.kind() == ErrorKind::input || error.kind() == ErrorKind::memory ? ErrorKind::config : error.kind(),
        error.what());
  }
}

}  // namespace srcextract
