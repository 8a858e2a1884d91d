#pragma once

#include <cstddef>

namespace srcextract {

/// Significance, in sigma, above which a result counts as a real difference.
struct AlarmLevels {
  double column = 0;  ///< test of one column: location, trends, bright end
  double part = 0;    ///< one column in one part of the field
  double count = 0;   ///< number of sources lost, or gained
  double place = 0;   ///< number of sources lost and gained in one part of the field
};

/// Divides the false-alarm probability of the whole comparison among its tests: a quarter for each kind of test, equal
/// shares within a kind.
AlarmLevels share_out(double false_alarm, std::size_t columns);

}  // namespace srcextract
