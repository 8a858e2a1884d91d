#pragma once

#include <cstddef>

namespace srcextract {

/// How improbable a result of chance must be, in sigma, to count as a difference.
struct AlarmLevels {
  double column = 0;  ///< of a test of one column: its location, its trends, its bright end
  double part = 0;    ///< of one column in one part of the field
  double count = 0;   ///< of the number of sources lost, or gained
  double place = 0;   ///< of the number lost and gained in one part of the field
};

/// Shares the probability that noise alone fails the comparison out among the tests that will be made: a
/// quarter of it to each kind.
AlarmLevels share_out(double false_alarm, std::size_t columns);

}  // namespace srcextract
