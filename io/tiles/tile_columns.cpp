#include "io/tiles/tile_columns.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// 0 if there is none of that name.
int find_column(FitsReader& reader, std::string name) {
  int column = 0, missing = 0;
  fits_get_colnum(reader.get(), CASEINSEN, name.data(), &column, &missing);
  fits_clear_errmsg();
  return missing ? 0 : column;
}

}  // namespace

StreamColumn::StreamColumn(FitsReader& reader, const Hdu& hdu, const std::string& name, std::int64_t tiles) {
  const int column = find_column(reader, name);
  if (column == 0) return;
  int status = 0;
  lengths_.resize(static_cast<std::size_t>(tiles));
  offsets_.resize(lengths_.size());
  fits_get_coltype(reader.get(), column, &type_, nullptr, nullptr, &status);
  fits_read_descriptsll(reader.get(), column, 1, tiles, lengths_.data(), offsets_.data(), &status);
  reader.check(status, "find the tiles in column " + name);
  const std::int64_t table = reader.integer("NAXIS1").value_or(0) * reader.integer("NAXIS2").value_or(0);
  const std::int64_t heap = std::clamp<std::int64_t>(reader.integer("THEAP").value_or(table), 0, hdu.data_bytes);
  heap_ = reader.records().subspan(static_cast<std::size_t>(hdu.data_begin + heap),
                                   static_cast<std::size_t>(hdu.data_bytes - heap));
}

std::span<const std::byte> StreamColumn::stream(std::int64_t tile) const {
  const std::int64_t elements = length(tile), width = type() == TSHORT ? 2 : 1;
  const std::int64_t offset = elements == 0 ? 0 : offsets_[static_cast<std::size_t>(tile)];
  if (elements < 0 || offset < 0 || elements > std::ssize(heap_) || offset > std::ssize(heap_) - elements * width)
    return {};
  return heap_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(elements * width));
}

template <class Number>
TileNumbers<Number>::TileNumbers(FitsReader& reader, const std::string& name, std::int64_t tiles) {
  const int column = find_column(reader, name);
  in_column_ = column != 0;
  if (!in_column_) {
    if constexpr (std::is_same_v<Number, double>) {
      if (const auto number = reader.real(name)) numbers_.assign(1, *number);
    } else {
      const auto number = reader.integer(name);
      if (number && std::in_range<Number>(*number)) numbers_.assign(1, static_cast<Number>(*number));
    }
    return;
  }
  int status = 0, type = 0;
  long repeat = 0;
  fits_get_coltype(reader.get(), column, &type, &repeat, nullptr, &status);
  if (status == 0 && (repeat != 1 || type < 0)) {
    throw Error(ErrorKind::input, reader.where() + ": column " + name +
                                      " has not one number for each tile; the header is damaged, fetch or make the "
                                      "file again");
  }
  numbers_.resize(static_cast<std::size_t>(tiles));
  constexpr int number_type = std::is_same_v<Number, double> ? TDOUBLE : TINT;
  fits_read_col(reader.get(), number_type, column, 1, 1, tiles, nullptr, numbers_.data(), nullptr, &status);
  reader.check(status, "read column " + name);
}

template class TileNumbers<double>;
template class TileNumbers<int>;

}  // namespace srcextract
