#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// Whether a source was used for making a PSF, or why it was not.
enum class StarVerdict { used, faint, saturated, at_edge, size, elongated, crowded, spare, misfit };

/// The verdict as a word in the catalogue of stars.
const char* name_of(StarVerdict verdict);
/// The verdict as words in a sentence after a number: `too faint`.
const char* phrase_of(StarVerdict verdict);

/// A source that may be a star. Lengths are in pixels; positions are counted from 0.
struct PsfStar {
  double x, y, flux, snr;
  double radius;       ///< of the circle that holds half of the light
  double ellipticity;  ///< (a - b) / (a + b)
  double peak;         ///< value above the sky of its brightest pixel
  std::int16_t flags;
  StarVerdict verdict = StarVerdict::faint;
  double chi2 = std::numeric_limits<double>::quiet_NaN();  ///< reduced, of the stars that were fitted
};

/// Number and size of the stars from which a PSF is made.
struct StarChoice {
  double radius = 0;  ///< with half of a star's light; 0: there are no stars
  double width = 0;   ///< approximate full width at half maximum
  int degree = 0;     ///< highest degree of a polynomial for which there are enough stars
  std::size_t used = 0;
};

/// Finds the stars among all sources of an image, and sets the verdict of each source. A star
/// - has a signal-to-noise of at least 50, or 20 if that leaves fewer than 20 stars per coefficient;
/// - has no pixel above 0.8 times `saturation` (above the sky; 0: unknown), no bad pixel, and its core inside the
///   image;
/// - has the most common size, +- 10 %. As in PSFEx this is the middle of the narrowest range, relative to its middle,
///   that holds a quarter of all sizes. If sizes vary over the field, a plane in x and y is fitted to them.
/// - is not much more elongated than the others;
/// - has no neighbour of 5 % of its light within 4 full widths. If too few stars are left, nearer and brighter
///   neighbours are allowed. Of more than 400 stars the brightest in each of 8 x 8 cells are taken in turn; the others
///   are spare.
StarChoice choose_stars(std::vector<PsfStar>& stars, const Shape& shape, double saturation, int most_degree);

/// The least number of stars for a polynomial of this degree.
std::size_t stars_needed(int degree);

}  // namespace srcextract
