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

/// A catalogue that is read column by column, for it may be larger than memory.
struct Catalog {
  std::string name;                  ///< for messages
  std::vector<std::string> columns;  ///< their names in the file
  std::vector<Meaning> meanings;     ///< of each of its columns
  std::vector<std::string> units;    ///< of each, as the file has them
  std::int64_t expected_rows = 0;    ///< roughly: how much is read at once follows from it
  std::function<Table(const std::vector<std::size_t>& columns)> read;
};

/// A column that both sides have.
struct SharedColumn {
  std::string name;                          ///< in the report
  std::size_t in_reference = 0, in_new = 0;  ///< its place in each file
  std::string unit;                          ///< the reference's, or what the report has instead
  double new_factor = 1;                     ///< from the new catalogue's unit to the reference's
  // Others of the shared columns, by their index among them:
  std::optional<std::size_t> error;    ///< its standard error, or the square of it
  std::optional<std::size_t> partner;  ///< the coordinate that makes a position with it
};

/// The values of one column in the report's convention, of these rows or of all; NaN where there is no finite one, and
/// for text; on threads. SExtractor's 99 for a magnitude that does not exist is none.
std::vector<double> values_in_report(const ColumnValues& values, const Meaning& meaning, double unit_factor,
                                     std::span<const std::int64_t> rows, int threads);
std::vector<double> values_in_report(const ColumnValues& values, const Meaning& meaning, double unit_factor,
                                     int threads);

}  // namespace srcextract
