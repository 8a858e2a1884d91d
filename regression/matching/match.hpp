#pragma once

#include <cstdint>
#include <vector>

namespace srcextract {

/// Coordinates in which two catalogues are matched.
enum class Frame {
  pixel,  ///< x and y, in pixels; the distance is Euclidean
  sky,    ///< right ascension and declination, in degrees; the distance is the angle between them
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

/// Rows of two catalogues that are one source, and rows of either without a partner. Rows count from 0.
struct Matches {
  std::vector<std::int64_t> reference, other;  ///< pair k joins row reference[k] and row other[k]; in the reference's
                                               ///< order
  std::vector<std::int64_t> lost;              ///< reference rows without a counterpart, in order
  std::vector<std::int64_t> gained;            ///< other rows without a counterpart, in order
};

/// Pairs rows that are mutually nearest within `radius`. The radius is in pixels or degrees. If both sides have
/// `sigma`, the unit is the root of the sum of their squares. A row with an invalid sigma then matches nothing.
/// - The first of equally near rows is taken.
/// - The second row in exactly one place pairs with the second row there, and so on, whatever their sigma. A catalogue
///   with duplicate rows therefore matches itself.
/// - The time is O(n log n) however crowded the sources are. In units of sigma it is longer, but far below n^2, if many
///   sources lie within their sigma and none is near.
/// - The number of `threads` does not affect the result.
Matches match_sources(const Positions& reference, const Positions& other, double radius, int threads);

/// A row at the position of an earlier row of the same catalogue, and that earlier row.
struct Duplicate {
  std::int64_t row, earlier;
};

/// Finds every row within `tolerance` (pixels or degrees) of an earlier row, with the first such earlier row, in the
/// order of rows. As fast as match_sources.
std::vector<Duplicate> find_duplicates(const Positions& positions, double tolerance, int threads);

}  // namespace srcextract
