#include "io/tables/fits_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "io/tables/column_builder.hpp"

namespace srcextract {
namespace {

/// Reads all elements of `rows` rows of the column into `out`; `begin` is the first of the rows in step.table, from 0.
/// CFITSIO stores `*null` for each undefined value; with a null pointer CFITSIO does not look for undefined values.
/// Throws Error{input}.
void read(const FitsStep& step, const FitsColumn& column, std::int64_t begin, std::int64_t rows, void* null,
          void* out) {
  int status = 0, any_null = 0;  // CFITSIO would write through a null pointer without `any_null`
  fits_clear_errmsg();
  fits_read_col(step.table.get(), column.type, column.number, begin + 1, 1, rows * column.elements, null, out,
                &any_null, &status);
  if (status == 0) return;
  step.table.check(status, "read column " + column.head.name + " of rows " + std::to_string(step.first + 1) + " to " +
                               std::to_string(step.first + step.count));
}

void read(const FitsStep& step, const FitsColumn& column, void* null, void* out) {
  read(step, column, step.row, step.count, null, out);
}

/// Reads floats or doubles. Only columns that are not stored as real numbers, or have a scale, are converted.
template <class T>
void read_values(const FitsStep& step, const FitsColumn& column, T* out) {
  // Without a null value CFITSIO does not change any value. With one, it would turn infinities into NaN.
  T nan = std::numeric_limits<T>::quiet_NaN();
  read(step, column, std::is_same_v<T, double> && !column.stored_as_real ? &nan : nullptr, out);
}

void read_values(const FitsStep& step, const FitsColumn& column, std::int32_t* out) {
  if (column.type == TINT) return read(step, column, nullptr, out);
  // Logicals and bits become 0 and 1. An undefined logical becomes 2, the value of FitsColumn::null.
  char missing = 2;
  std::vector<char> flags(static_cast<std::size_t>(step.count * column.elements));
  if (column.type == TLOGICAL) read(step, column, &missing, flags.data());
  for (std::int64_t row = 0; row < step.count && column.type == TBIT; ++row) {  // bits of one row per call
    read(step, column, step.row + row, 1, nullptr, flags.data() + row * column.elements);
  }
  std::ranges::transform(flags, out, [missing](char flag) { return flag == 0 || flag == 1 ? flag : missing; });
}

void read_values(const FitsStep& step, const FitsColumn& column, std::string* out) {
  const auto count = static_cast<std::size_t>(step.count * column.elements);
  const auto room = static_cast<std::size_t>(column.width) + 1;
  std::vector<char> text(count * room);
  std::vector<char*> strings(count);
  for (std::size_t i = 0; i < count; ++i) strings[i] = text.data() + i * room;
  char blank[] = "";
  read(step, column, blank, strings.data());
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = strings[i];
    out[i].erase(out[i].find_last_not_of(' ') + 1);
  }
}

template <class T>
void read_targets(const FitsStep& step, const FitsColumn& column, const std::vector<FitsTarget>& targets) {
  const auto begin_of = [&](const FitsTarget& target) {
    return std::get<std::vector<T>>(*target.values).data() + step.first;
  };
  const std::int64_t elements = column.elements;
  if (elements == 1 && targets.size() == 1) {
    read_values(step, column, begin_of(targets[0]));
    return;
  }
  std::vector<T> vectors(static_cast<std::size_t>(step.count * elements));
  read_values(step, column, vectors.data());
  for (const FitsTarget& target : targets) {
    T* out = begin_of(target);
    for (std::int64_t row = 0; row < step.count; ++row)
      out[row] = vectors[static_cast<std::size_t>(row * elements + target.element)];
  }
}

}  // namespace

ColumnValues make_fits_values(const FitsColumn& column, std::int64_t rows) {
  const auto size = static_cast<std::size_t>(rows);
  switch (column.type) {
    case TSTRING:
      return std::vector<std::string>(size);
    case TLONGLONG:
    case TULONGLONG:
      return std::vector<std::int64_t>(size);
    case TFLOAT:
      return std::vector<float>(size);
    case TDOUBLE:
      return std::vector<double>(size);
    default:
      return std::vector<std::int32_t>(size);
  }
}

void read_fits_values(const FitsStep& step, const FitsColumn& column, const std::vector<FitsTarget>& targets) {
  std::visit([&]<class T>(const std::vector<T>&) { read_targets<T>(step, column, targets); }, *targets.at(0).values);
}

ColumnValues finish_fits_values(ColumnValues values, const FitsColumn& column) {
  const auto is_null = [&](std::int64_t value) { return value == column.null; };
  if (auto* narrow = std::get_if<std::vector<std::int32_t>>(&values)) {
    if (std::ranges::none_of(*narrow, is_null)) return values;
    return narrowest_integers(*narrow, [&](std::size_t i) { return is_null((*narrow)[i]); });
  }
  if (auto* wide = std::get_if<std::vector<std::int64_t>>(&values)) {
    const auto is_missing = [&](std::size_t i) { return is_null((*wide)[i]); };
    const auto is_beyond = [&](std::int64_t value) { return value < 0 && !is_null(value); };
    if (column.type == TULONGLONG && std::ranges::any_of(*wide, is_beyond)) return spelt_unsigned(*wide, is_missing);
    const auto is_short = [&](std::int64_t value) { return std::in_range<std::int32_t>(value); };
    if (std::ranges::none_of(*wide, is_null) && !std::ranges::all_of(*wide, is_short)) return values;
    return narrowest_integers(*wide, is_missing);
  }
  if (!column.whole) return values;
  const auto& reals = std::get<std::vector<double>>(values);
  constexpr double exact = std::int64_t{1} << std::numeric_limits<double>::digits;
  if (std::ranges::any_of(reals, [](double value) { return std::abs(value) > exact; })) return values;
  return narrowest_integers(reals, [&](std::size_t i) { return std::isnan(reals[i]); });
}

}  // namespace srcextract
