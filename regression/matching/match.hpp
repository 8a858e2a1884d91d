#pragma once

#include <cstdint>
#include <vector>

namespace srcextract {

/// The coordinates in which two catalogues are matched.
enum class Frame {
  pixel,  ///< x and y, in pixels; the distance is Euclidean
  sky,    ///< right ascension and declination, in degrees; the distance is the angle between two directions
};

/// Positions of a catalogue, row by row. A row with a coordinate that is not finite, or a declination beyond a pole,
/// matches nothing.
struct Positions {
  Frame frame = Frame::pixel;
  std::vector<double> x, y;
  /// Standard error of each position, in pixels or degrees; empty unless the radius is in sigma.
  std::vector<float> sigma;

  std::int64_t size() const { return static_cast<std::int64_t>(x.size()); }
};

/// The pairs of rows of two catalogues that are the same source, and the rows of either without a partner. Rows count
/// from 0.
struct Matches {
  /// Pair k consists of row reference[k] and row other[k]. The pairs are in the order of the reference.
  std::vector<std::int64_t> reference, other;
  std::vector<std::int64_t> lost;    ///< rows of the reference without a partner, in order
  std::vector<std::int64_t> gained;  ///< rows of the other catalogue without a partner, in order
};

/// Pairs rows that are mutually nearest within `radius`. `radius` is in pixels or degrees. If both sides have `sigma`,
/// `radius` is in units of the root of the sum of both squared sigma. A row with an invalid sigma then matches nothing.
/// - Of rows at equal distance, the first is chosen.
/// - If several rows of a catalogue have exactly the same position, the first is paired with the first row at the
///   partner's position, the second with the second row there, and so on. So a catalogue with duplicates matches
///   itself. If the two positions differ, the rule holds only for rows of equal sigma.
/// - The time is O(n log n) for any density of sources. With `sigma` the search takes longer, but far less than n^2, if
///   many sources lie within their sigma and none is near.
/// - The result does not depend on the number of threads.
Matches match_sources(const Positions& reference, const Positions& other, double radius, int threads);

/// A row that repeats the position of an earlier row of the same catalogue, and that earlier row.
struct Duplicate {
  std::int64_t row, earlier;
};

/// Finds every row within `tolerance` (pixels or degrees) of an earlier row. Returns each with the first earlier row
/// within `tolerance`, in the order of rows. Takes about as long as match_sources().
std::vector<Duplicate> find_duplicates(const Positions& positions, double tolerance, int threads);

}  // namespace srcextract
