#pragma once

#include <string>

#include "regression/verdict/column_comparison.hpp"

namespace srcextract {

/// Explanation of how a whole column changed: in words, and the cause.
struct Explanation {
  std::string words;  ///< "812 of 812 sources moved by +1.000 +- 0.000 pixel"
  std::string cause;  ///< "one side counts from 0"; empty without further cause
};

/// Explains new values that differ from the reference by a simple change: two exchanged columns, a flipped axis, or a
/// factor between units. `absolute` is the spread of the differences. Empty if the differences are small anyway, or if
/// no such change fits.
Explanation explain_change(const PairedColumn& column, const Spread& absolute, int threads);

/// Describes an offset of the whole column; `location` is the location of its differences.
Explanation explain_offset(const PairedColumn& column, const Location& location);

/// Describes a change of the whole catalogue: "the new x runs the other way: new = 1025.00 - reference".
std::string explain_alignment(const Alignment& alignment, Frame frame);

/// A number with the digits that its error justifies: "+0.1000 +- 0.0005".
std::string with_error(double value, double error);

}  // namespace srcextract
