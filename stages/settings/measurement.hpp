#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/settings/detection.hpp"

namespace srcextract {

enum class MaskNeighbours { correct, blank, none };
enum class NoiseOfSums { pixel, apertures, correlated };
enum class Overlap { sub_pixels, exact };

inline constexpr int most_apertures = 100;

inline constexpr int most_fractions = 100;

struct MeasurementConfig {
  /// The level that is subtracted from every pixel before measuring. background: the estimated sky, or the clipped
  /// median with background.method constant; zero: none.
  Baseline reference = Baseline::background;
  /// Detector gain in e-/count, for the photon noise in flux errors. 0: no photon noise (SExtractor's infinite gain).
  double gain = 0.0;
  /// Sources with a pixel of at least this value, sky included, are flagged as saturated. 0: no source is flagged.
  double saturation = 0;
  /// Header keyword whose value replaces `saturation`; `none`: no keyword.
  std::string saturation_keyword = "none";
  /// Header keyword whose value replaces `gain`; `none`: no keyword.
  std::string gain_keyword = "none";
  double zero_point = 0;   ///< magnitude of a source of one count, for thresholds in magnitudes and for MAG_* columns
  double pixel_scale = 0;  ///< side of a pixel in arcseconds; 0: from the WCS at the image's centre
  /// The replacement of bad pixels and of pixels of other sources in an aperture (SExtractor's MASK_TYPE). correct: the
  /// pixel opposite the source's centre; blank: the value 0; none: pixels of other sources keep their values, and bad
  /// pixels count as 0.
  MaskNeighbours mask = MaskNeighbours::correct;
  /// How the sky noise of a sum of pixels is derived. pixel: from the noise of one pixel, as if pixels were
  /// independent. apertures: from sums in empty apertures of the image (stages/measure/aperture_noise.hpp). correlated:
  /// from the noise of the filtered image (stages/measure/shared_noise.hpp).
  NoiseOfSums noise = NoiseOfSums::pixel;
  /// How the fraction of an edge pixel that is inside a circle of FLUX_APER is computed. sub_pixels: from 5 x 5
  /// sub-pixels, as in SExtractor. exact: as the exact area.
  Overlap overlap = Overlap::sub_pixels;
  std::vector<double> apertures = {5};         ///< diameters of the circles of FLUX_APER in pixels (PHOT_APERTURES)
  std::vector<double> kron = {2.5, 3.5};       ///< of FLUX_AUTO's ellipse: radius in Kron radii, and minimum radius in
                                               ///< A_IMAGE (PHOT_AUTOPARAMS)
  std::vector<double> petrosian = {2.0, 3.5};  ///< of FLUX_PETRO's ellipse: radius in Petrosian radii, and minimum
                                               ///< radius in A_IMAGE (PHOT_PETROPARAMS)
  /// Diameters in pixels of the circles that replace smaller ellipses (PHOT_AUTOAPERS). First: the ellipses in which
  /// the Kron and Petrosian radii, FLUX_RADIUS and FLUX_GROWTH are measured. Second: the apertures of FLUX_AUTO and
  /// FLUX_PETRO.
  std::vector<double> least_apertures = {0, 0};
  std::vector<double> flux_radius = {0.5};  ///< fractions of FLUX_AUTO for FLUX_RADIUS (PHOT_FLUXFRAC)
  std::int64_t growth_steps = 16;           ///< number of circles of FLUX_GROWTH, with equal steps of radius up to 6
                                            ///< A_IMAGE
  std::vector<double> annulus = {10, 20};   ///< inner and outer radius in pixels of the annulus of ANNULUS_SKY
  /// Thickness in pixels of the rectangular frame around a source in which a local sky is estimated. That sky is
  /// subtracted from the source's fluxes (SExtractor's BACKPHOTO_TYPE LOCAL). 0: no local sky.
  std::int64_t local_sky = 0;
  std::string nnw;           ///< path of SExtractor's .nnw file, the neural network for CLASS_STAR; empty: none
  double seeing_fwhm = 1.2;  ///< FWHM of stars in arcseconds, for CLASS_STAR (SEEING_FWHM)

  bool operator==(const MeasurementConfig&) const = default;
};

}  // namespace srcextract
