#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace srcextract {

/// The total magnitude of a copy of a star that was put into an image, and whether the copy was found.
struct CopyResult {
  double magnitude;
  bool found;
};

/// The share of copies that were found.
struct FoundShare {
  std::int64_t copies = 0, found = 0;
  double share = 0;            ///< found / copies
  double least = 0, most = 1;  ///< 68 % confidence interval of the share (Wilson 1927, JASA 22, 209)

  /// Sets the share and the interval from `copies` and `found`, if copies > 0.
  void set_share();
};

/// The copies in an interval of completeness_step magnitudes.
struct CompletenessBin : FoundShare {
  double low = 0;  ///< magnitude of the bright end
};

inline constexpr double completeness_step = 0.5;

/// The share of stars that an extraction finds, as a function of total magnitude.
struct Completeness {
  std::string problem = {};  ///< why the completeness is unknown; empty: the completeness is known
  std::int64_t templates = 0, passes = 0, copies = 0;
  std::vector<CompletenessBin> bins = {};  ///< from bright to faint, without gaps
  /// Magnitudes at which the share falls below 50 % and 90 %, interpolated linearly between the centres of bins. Empty
  /// if the share is nowhere below or everywhere below.
  std::optional<double> half = {}, nine_tenths = {};
};

/// Computes the share of found copies in bins of half a magnitude. Sets only `bins`, `copies`, `half` and
/// `nine_tenths`.
Completeness summarize_copies(std::span<const CopyResult> copies);

/// Describes in words the magnitude limits and the test with copies, or the problem.
std::string describe_completeness(const Completeness& completeness);

}  // namespace srcextract
