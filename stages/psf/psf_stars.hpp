#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// What became of a source when a PSF was made: it was used, or why not.
enum class StarVerdict { used, faint, saturated, at_edge, size, elongated, crowded, spare, misfit };

/// Their words in the catalogue of stars.
const char* name_of(StarVerdict verdict);
/// The same in a sentence, after a number: `too faint`.
const char* phrase_of(StarVerdict verdict);

/// A source that may be a star. Lengths are in pixels; places are counted from 0.
struct PsfStar {
  double x, y, flux, snr;
  double radius;       ///< that holds half of the light
  double ellipticity;  ///< (a - b) / (a + b)
  double peak;         ///< value of its brightest pixel above the sky
  std::int16_t flags;
  StarVerdict verdict = StarVerdict::faint;
  double chi2 = std::numeric_limits<double>::quiet_NaN();  ///< reduced, of the stars that were fitted
};

/// The size of the stars that make a PSF, and how many they are.
struct StarChoice {
  double radius = 0;  ///< that holds half of their light; 0: there is none
  double width = 0;   ///< full width at half maximum, about
  int degree = 0;     ///< of a polynomial that so many stars determine
  std::size_t used = 0;
};

/// Finds the stars among all sources of an image, and sets the verdict of each source. A star
/// - has a signal-to-noise of at least 50, or 20 where that leaves fewer than 20 a coefficient;
/// - has no pixel within a fifth of `saturation` above the sky (0: not known), no bad pixel, and its core inside the
/// image;
/// - has the size of most of them. As in PSFEx that is the narrowest range, relative to its middle, that holds a
///   quarter of all sizes, and +- 10 % about it; a range of a few sources cannot become empty. Stars that vary over the
///   field follow the size of the stars nearby.
/// - is not elongated much more than others;
/// - has no neighbour of 5 % of its light within 4 full widths. Neighbours count more and more where few stars are
/// left. Of more than 400 the brightest of each cell of 8 x 8 are taken in turn; the others are spare.
StarChoice choose_stars(std::vector<PsfStar>& stars, const Shape& shape, double saturation, int most_degree);

/// The least number of stars for a polynomial of that degree.
std::size_t stars_needed(int degree);

}  // namespace srcextract
