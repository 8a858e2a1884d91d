#pragma once

#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/psf/psf_stars.hpp"

namespace srcextract {

/// The sources of a frame that are sorted into stars and others. `sources[i]` is at the peak `places[i]`.
struct FrameStars {
  std::vector<Stamp> places;     ///< the brightest first
  std::vector<PsfStar> sources;  ///< with verdicts; positions in pixels from 0
  StarChoice choice;
  double density = 0;  ///< peaks per pixel of the frame, also of those that are not among the sources

  /// Returns the places of the stars that are isolated and unsaturated, the brightest first.
  std::vector<Stamp> used() const;
  /// Returns the median of (a - b) / (a + b) of these stars; 0 if there are none.
  double ellipticity() const;
  /// Whether a source at this place has the width of stars, also if it has neighbours.
  bool is_star(const Stamp& place) const;
  /// Whether sources are so many that few stars have none within 3.3 `fwhm` (full width of stars in pixels).
  bool is_crowd(double fwhm) const;
};

/// Finds the stars among the 300 brightest of `peaks`, by the rules with which a PSF chooses its stars (choose_stars):
/// of widths that many sources share, the smallest is that of stars. Galaxies are wider, cosmic rays and hot pixels
/// narrower. Adaptive moments (shapes_of) give position and flux of a source, measure_width() gives its width.
FrameStars find_frame_stars(const LevelledFrame& frame, const std::vector<Peak>& peaks, const Cpu& where);

}  // namespace srcextract
