#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/columns/known_columns.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// A catalogue whose columns are read in several passes, since all columns together may not fit into memory.
struct Catalog {
  std::string name;                  ///< name of the catalogue in messages
  std::vector<std::string> columns;  ///< column names in the file
  std::vector<Meaning> meanings;     ///< meaning of each column
  std::vector<std::string> units;    ///< unit of each column in the file
  std::int64_t expected_rows = 0;    ///< estimated number of rows, which decides how many columns are read in one pass
  std::function<Table(const std::vector<std::size_t>& columns)> read;
};

/// A column that both catalogues have.
struct SharedColumn {
  std::string name;                          ///< name in the report
  std::size_t in_reference = 0, in_new = 0;  ///< index in each file
  /// Unit in the report, from the reference; empty if unknown, or if a convention such as SEP radians converts the
  /// values.
  std::string unit;
  double new_factor = 1;  ///< factor from the new catalogue's unit to the reference's
  // Indices of related shared columns:
  std::optional<std::size_t> error;    ///< the column with the standard error or the variance of this column
  std::optional<std::size_t> partner;  ///< the column with the other coordinate of the position
};

/// Converts the values of a column to the report's convention, for the given rows or for all rows, on several threads.
/// Texts, values that are not finite, and SExtractor's 99 for an undefined magnitude become NaN. Multiplies by
/// `unit_factor`.
std::vector<double> values_in_report(const ColumnValues& values, const Meaning& meaning, double unit_factor,
                                     std::span<const std::int64_t> rows, int threads);
std::vector<double> values_in_report(const ColumnValues& values, const Meaning& meaning, double unit_factor,
                                     int threads);

}  // namespace srcextract
