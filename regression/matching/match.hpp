#pragma once

#include <cstdint>
#include <vector>

namespace srcextract {

/// In which coordinates two catalogues are held against each other.
enum class Frame {
  pixel,  ///< x and y, in pixels; the distance is Euclidean
  sky,    ///< right ascension and declination, in degrees; the distance is the angle between them
};

/// Where the sources of one catalogue are, row by row. A row with a coordinate that is not finite (or a declination
/// beyond a pole) is nowhere: it matches nothing.
struct Positions {
  Frame frame = Frame::pixel;
  std::vector<double> x, y;
  /// The standard error of each position, in pixels or degrees; empty unless the radius is in units of it.
  std::vector<float> sigma;

  std::int64_t size() const { return static_cast<std::int64_t>(x.size()); }
};

/// The rows of two catalogues that are one source each. Rows are counted from 0.
struct Matches {
  std::vector<std::int64_t> reference, other;  ///< of pair k; in the order of the reference
  std::vector<std::int64_t> lost;              ///< rows of the reference without a counterpart, in order
  std::vector<std::int64_t> gained;            ///< rows of the other without a counterpart, in order
};

/// Pairs the rows that are each other's nearest within `radius`: pixels, or degrees, or, if both sides have `sigma`,
/// multiples of the root of the sum of their squares (a row whose sigma is not finite or is negative is nowhere then).
/// Of equally near rows the first counts; of rows in exactly one place the second pairs with the second there, and so
/// on, whatever their sigma, so that a catalogue with double rows matches itself. Takes time proportional to n log n
/// however the sources are crowded; in units of sigma more, but far from n^2, where many crowd in less than their sigma
/// and none is near. Gives the same on any number of `threads`.
Matches match_sources(const Positions& reference, const Positions& other, double radius, int threads);

/// A row whose position an earlier row of the same catalogue has as well.
struct Duplicate {
  std::int64_t row, earlier;
};

/// Every row that is within `tolerance` (pixels or degrees) of an earlier one, with the first such, in order. As fast
/// as match_sources.
std::vector<Duplicate> find_duplicates(const Positions& positions, double tolerance, int threads);

}  // namespace srcextract
