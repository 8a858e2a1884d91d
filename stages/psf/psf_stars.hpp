#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "stages/core/image.hpp"

namespace srcextract {

/// Whether the PSF was made from a source, or the reason why it was not.
enum class StarVerdict { used, faint, saturated, at_edge, sharp, size, elongated, crowded, spare, misfit };

/// Returns the verdict as a word for the catalogue of stars.
const char* name_of(StarVerdict verdict);
/// Returns the verdict as words that follow a number in a sentence, such as "too faint".
const char* phrase_of(StarVerdict verdict);

/// Least full width of a star in pixels along its short axis, without the pixel's own width. The light of any telescope
/// that is sampled by its pixels is wider; hot pixels and cosmic rays are narrower.
inline constexpr double least_star_width = 0.7;

/// A source that may be a star. Lengths are in pixels; positions are pixels from 0.
struct PsfStar {
  double x, y, flux, snr;
  double radius;       ///< half-light radius
  double ellipticity;  ///< (a - b) / (a + b)
  double peak;         ///< value above the sky of the brightest pixel
  std::int16_t flags;
  double width = 0, minor = 0;  ///< see StarWidth
  /// width that most isolated sources nearby share; NaN if they share none, or the source is faint or crowded
  double width_nearby = std::numeric_limits<double>::quiet_NaN();
  StarVerdict verdict = StarVerdict::faint;
  double chi2 = std::numeric_limits<double>::quiet_NaN();  ///< reduced chi^2 of a star that was fitted; else NaN
};

/// Number and size of the stars from which a PSF is made.
struct StarChoice {
  double radius = 0;  ///< common half-light radius in pixels; 0 if there are no stars
  double width = 0;   ///< common full width at half maximum in pixels
  int degree = 0;     ///< highest degree of the polynomial for which there are enough stars
  std::size_t used = 0;
  bool varies = false;  ///< whether there are parts of the field where stars have another width than a plane tells
};

/// Finds the stars among all sources of an image, and sets the verdict of each source. A star
/// - has a signal-to-noise ratio of at least 50, or of at least 20 if 50 leaves fewer than 20 stars per coefficient of
///   the polynomial;
/// - has no pixel above 0.8 times `saturation` (above the sky; 0: unknown), no bad pixel, and its core inside the
///   image;
/// - is not sharper than 0.7 pixels along its short axis, as hot pixels and cosmic rays are;
/// - has the width of stars: the narrowest range of widths that many sources of one axis ratio share. If there are
///   enough stars, a plane in x and y is fitted to their widths. A star is within 3.5 errors of the plane, and within
///   15 %. Where most bright and isolated sources nearby share another width, up to 1.65 times as large or small,
///   theirs counts;
/// - is not much more elongated than the other stars;
/// - has no neighbour with 5 % of its light within 4 full widths. If too few stars are left, nearer and brighter
///   neighbours are allowed.
///
/// At most 400 stars are used, in turn the brightest of each of 8 x 8 cells of the field. The other stars are spare.
StarChoice choose_stars(std::vector<PsfStar>& stars, const Shape& shape, double saturation, int most_degree);

/// Returns the index of the star's cell, of `cells` x `cells` into which the field is divided.
std::size_t cell_of(const PsfStar& star, const Shape& shape, std::size_t cells);

/// Returns the number of stars that tell a polynomial of this degree.
std::size_t stars_needed(int degree);
/// Returns the highest degree, at most `most`, for which there are enough stars.
int degree_for(int most, std::size_t stars);

}  // namespace srcextract
