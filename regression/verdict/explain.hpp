#pragma once

#include <string>

#include "regression/verdict/column_comparison.hpp"

namespace srcextract {

/// A finding about a column. Findings with the same cause are reported once for all columns.
struct ColumnFinding {
  std::string words;  ///< as "812 of 812 sources moved by +1.000 ± 0.000 pixel"; empty: nothing was found
  std::string cause;  ///< as "one side counts from 0"; empty if the cause is unknown
};

/// Explains new values that differ from the reference by a simple change: exchanged coordinates, a mirrored axis, or a
/// factor between units. `absolute` is the spread of the differences. The result is empty if the differences are small,
/// or if no simple change fits.
ColumnFinding explain_change(const PairedColumn& column, const Spread& absolute, int threads);

/// Describes an offset of the whole column, whose size is `location`.
ColumnFinding explain_offset(const PairedColumn& column, const Location& location);

/// Describes a change of the whole catalogue, as "the x axis is flipped: new x = 1025.00 - reference, y shifted by
/// +0.00".
std::string explain_alignment(const Alignment& alignment, Frame frame);

/// A number and the number's error, with as many digits as the error justifies: "+0.1000 ± 0.0005".
std::string with_error(double value, double error);

}  // namespace srcextract
