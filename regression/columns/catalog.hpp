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

/// A catalogue whose columns are read one by one, since all of them may exceed memory.
struct Catalog {
  std::string name;                  ///< name for messages
  std::vector<std::string> columns;  ///< column names in the file
  std::vector<Meaning> meanings;     ///< meaning of each column
  std::vector<std::string> units;    ///< unit of each column, as in the file
  std::int64_t expected_rows = 0;    ///< estimated number of rows; decides how many columns are read at once
  std::function<Table(const std::vector<std::size_t>& columns)> read;
};

/// A column of both catalogues.
struct SharedColumn {
  std::string name;                          ///< name in the report
  std::size_t in_reference = 0, in_new = 0;  ///< index in each file
  std::string unit;                          ///< unit in the report: the reference's, or a replacement
  double new_factor = 1;                     ///< factor from the new catalogue's unit to the reference's
  // Indices of other shared columns:
  std::optional<std::size_t> error;    ///< its standard error or variance
  std::optional<std::size_t> partner;  ///< the other coordinate of the position
};

/// Converts the values of one column to the report's convention, for the given rows or for all, on several threads.
/// Text, values that are not finite, and SExtractor's 99 for an undefined magnitude become NaN.
std::vector<double> values_in_report(const ColumnValues& values, const Meaning& meaning, double unit_factor,
                                     std::span<const std::int64_t> rows, int threads);
std::vector<double> values_in_report(const ColumnValues& values, const Meaning& meaning, double unit_factor,
                                     int threads);

}  // namespace srcextract
