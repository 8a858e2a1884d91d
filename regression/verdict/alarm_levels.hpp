#pragma once

#include <cstddef>

namespace srcextract {

/// Significance in sigma from which on the result of a test counts as a real difference.
struct AlarmLevels {
  double column = 0;  ///< test of a whole column: location, trends, bright end
  double part = 0;    ///< test of a column in one cell of the field
  double count = 0;   ///< test of the number of lost or gained sources
  double place = 0;   ///< test of the number of lost and gained sources in one cell of the field
};

/// Divides the false-alarm probability of the whole comparison among the tests. Each of the four kinds of tests gets a
/// quarter, and all tests of one kind get equal parts. `columns` is the number of shared columns.
AlarmLevels share_out(double false_alarm, std::size_t columns);

}  // namespace srcextract
