#include "regression/columns/catalog.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>
#include <variant>

#include "regression/statistics/pieces.hpp"

namespace srcextract {
namespace {

constexpr double no_magnitude = 99;

/// Converts `count` values of a column to the report's convention. Value i comes from row row_at(i).
template <class RowAt>
std::vector<double> values_at(const ColumnValues& values, const Meaning& meaning, double unit_factor, std::size_t count,
                              RowAt row_at, int threads) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double factor = meaning.factor * unit_factor;
  const bool magnitudes = has_magnitudes(meaning.name);
  std::vector<double> result(count, none);
  std::visit(
      [&]<class T>(const std::vector<T>& column) {
        if constexpr (std::is_arithmetic_v<T>) {
          for_each_piece(count, threads, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
              const double value = static_cast<double>(column[row_at(i)]);
              const bool missing = !std::isfinite(value) || (magnitudes && value == no_magnitude);
              result[i] = missing ? none : factor * value + meaning.offset;
            }
          });
        }
      },
      values);
  return result;
}

}  // namespace

std::vector<double> values_in_report(const ColumnValues& values, const Meaning& meaning, double unit_factor,
                                     std::span<const std::int64_t> rows, int threads) {
  return values_at(
      values, meaning, unit_factor, rows.size(), [&](std::size_t i) { return static_cast<std::size_t>(rows[i]); },
      threads);
}

std::vector<double> values_in_report(const ColumnValues& values, const Meaning& meaning, double unit_factor,
                                     int threads) {
  const std::size_t count = std::visit([](const auto& column) { return column.size(); }, values);
  return values_at(values, meaning, unit_factor, count, std::identity(), threads);
}

}  // namespace srcextract
