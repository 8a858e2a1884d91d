#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace srcextract {

/// The magnitude of a star's copy that was put into an image, and whether it was found.
struct CopyResult {
  double magnitude;
  bool found;
};

/// How many of some copies were found.
struct FoundShare {
  std::int64_t copies = 0, found = 0;
  double share = 0;            ///< of copies that were found
  double least = 0, most = 1;  ///< 68 % interval of the share (Wilson 1927, JASA 22, 209)

  /// Sets the share and its interval, if there are copies.
  void set_share();
};

/// The copies of one half magnitude.
struct CompletenessBin : FoundShare {
  double low = 0;  ///< magnitude of its bright end
};

inline constexpr double completeness_step = 0.5;

/// The share of stars that an extraction finds, by total magnitude.
struct Completeness {
  std::string problem = {};  ///< why the completeness is unknown; empty: it is known
  std::int64_t templates = 0, passes = 0, copies = 0;
  std::vector<CompletenessBin> bins = {};  ///< from bright to faint, without a gap
  /// Magnitudes at which the share falls below 50 and 90 %, interpolated linearly between the centres of bins. Empty:
  /// the share falls below nowhere, or is below everywhere.
  std::optional<double> half = {}, nine_tenths = {};
};

/// The share of found copies in each half magnitude. Only `bins`, `copies` and the limits are set.
Completeness summarize_copies(std::span<const CopyResult> copies);

/// In words: the limits and where they come from, or the problem.
std::string describe_completeness(const Completeness& completeness);

}  // namespace srcextract
