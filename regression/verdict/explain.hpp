#pragma once

#include <string>

#include "regression/verdict/column_comparison.hpp"

namespace srcextract {

/// What became of a column whose values differ as a whole.
struct Explanation {
  std::string words;  ///< "812 of 812 sources moved by +1.000 +- 0.000 pixel"
  std::string cause;  ///< "one side counts from 0"; empty if the words are all there is to say
};

/// What makes the new values of the reference's, if the values themselves are not reproduced and a simple change
/// reproduces them: two columns that have changed places, an axis that runs the other way, a factor between units.
/// `absolute` are the differences. Nothing if there is no such change.
Explanation explain_change(const PairedColumn& column, const Spread& absolute, int threads);

/// The words for a difference of the whole column; `location` is that of its differences.
Explanation explain_offset(const PairedColumn& column, const Location& location);

/// A change of the whole catalogue: "the new x runs the other way: new = 1025.00 - reference".
std::string explain_alignment(const Alignment& alignment, Frame frame);

/// A number with as many digits as its error is worth: "+0.1000 +- 0.0005".
std::string with_error(double value, double error);

}  // namespace srcextract
