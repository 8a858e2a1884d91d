#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/settings/detection.hpp"

namespace srcextract {

enum class MaskNeighbours { correct, blank, none };
enum class NoiseOfSums { pixel, apertures };
enum class Overlap { sub_pixels, exact };

/// Maximum number of apertures.
inline constexpr int most_apertures = 100;

/// Maximum number of flux fractions.
inline constexpr int most_fractions = 100;

/// Measurement of sources.
struct MeasurementConfig {
  /// The level that is subtracted from every pixel before measuring: the clipped median, or zero (raw pixels).
  Baseline reference = Baseline::background;
  /// Detector gain in e-/count for the photon noise in errors of fluxes. 0 = no photon noise (infinite gain, as in
  /// SExtractor).
  double gain = 0.0;
  /// Sources with a pixel of at least this value, background not subtracted, are flagged; 0 = no source is.
  double saturation = 0;
  /// Header keyword whose value replaces `saturation`, or `none`.
  std::string saturation_keyword = "none";
  /// Header keyword of the gain, or `none`.
  std::string gain_keyword = "none";
  double zero_point = 0;   ///< magnitude of one count, for thresholds in magnitudes and MAG_*
  double pixel_scale = 0;  ///< side of a pixel in arcseconds; 0 = taken from the image's WCS
  /// What replaces bad pixels, and pixels of other sources, in an aperture (SExtractor's MASK_TYPE). correct: the pixel
  /// on the opposite side; blank: nothing; none: pixels of other sources keep their values.
  MaskNeighbours mask = MaskNeighbours::correct;
  /// How the sky noise of a sum of pixels is found: from the noise of one pixel as if pixels were independent, or from
  /// empty apertures of the image (stages/measure/aperture_noise.hpp).
  NoiseOfSums noise = NoiseOfSums::pixel;
  /// How the fraction of an edge pixel inside a circle of FLUX_APER is found: from 5 x 5 sub-pixels, as in SExtractor,
  /// or as the exact area.
  Overlap overlap = Overlap::sub_pixels;
  std::vector<double> apertures = {5};         ///< diameters of the circles of FLUX_APER in pixels (PHOT_APERTURES)
  std::vector<double> kron = {2.5, 3.5};       ///< of FLUX_AUTO: factor, and least radius (PHOT_AUTOPARAMS)
  std::vector<double> petrosian = {2.0, 3.5};  ///< of FLUX_PETRO: factor, and least radius (PHOT_PETROPARAMS)
  /// Diameters in pixels of the circles that smaller ellipses become (PHOT_AUTOAPERS): those in which radii are
  /// searched, and those of FLUX_AUTO and FLUX_PETRO.
  std::vector<double> least_apertures = {0, 0};
  std::vector<double> flux_radius = {0.5};  ///< fractions of FLUX_AUTO for FLUX_RADIUS (PHOT_FLUXFRAC)
  std::int64_t growth_steps = 16;           ///< number of circles of FLUX_GROWTH; the last has a radius of 6 A_IMAGE
  std::vector<double> annulus = {10, 20};   ///< inner and outer radius of the annulus of ANNULUS_SKY in pixels
  /// Thickness in pixels of the frame about a source whose sky is subtracted from its fluxes (SExtractor's
  /// BACKPHOTO_TYPE LOCAL); 0 = none.
  std::int64_t local_sky = 0;
  std::string nnw;           ///< SExtractor's file of the network for CLASS_STAR
  double seeing_fwhm = 1.2;  ///< FWHM of stars in arcseconds, for CLASS_STAR (SEEING_FWHM)

  bool operator==(const MeasurementConfig&) const = default;
};

}  // namespace srcextract
