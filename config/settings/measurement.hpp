#pragma once

#include <string>
#include <vector>

#include "config/settings/detection.hpp"

namespace srcextract {

enum class MaskNeighbours { correct, blank, none };
enum class NoiseOfSums { pixel, apertures };
enum class Overlap { sub_pixels, exact };

/// Most circles that light is summed in.
inline constexpr int most_apertures = 100;

/// Most parts of the light whose radius is sought.
inline constexpr int most_fractions = 100;

/// What is summed over the pixels of a source.
struct MeasurementConfig {
  /// The level subtracted from every pixel before it is measured: the clipped median, or zero (raw pixels).
  Baseline reference = Baseline::background;
  /// Detector gain in e-/count for the Poisson term of FLUXERR_ISO; 0 = no such term (infinite gain, as SExtractor).
  double gain = 0.0;
  /// Sources with a pixel of at least this value, background not subtracted, are flagged; 0 = none.
  double saturation = 0;
  /// Keyword of the image that holds it instead, or `none`.
  std::string saturation_keyword = "none";
  /// Keyword of the image that holds the gain, or `none`.
  std::string gain_keyword = "none";
  double zero_point = 0;   ///< magnitude of one count, of thresholds and of MAG_*
  double pixel_scale = 0;  ///< side of a pixel in arcseconds; 0 = as the WCS of the image has it
  /// What pixels of other sources, and bad ones, count as in an aperture: the pixel opposite, nothing, or, those of
  /// others, themselves (SExtractor's MASK_TYPE).
  MaskNeighbours mask = MaskNeighbours::correct;
  /// What the noise of the sky in a sum of pixels follows from: that of a pixel, as if pixels were independent, or what
  /// empty apertures of the image tell (stages/measure/aperture_noise.hpp).
  NoiseOfSums noise = NoiseOfSums::pixel;
  /// How much of a pixel at the edge of a circle of FLUX_APER is in it: by 5 x 5 sub-pixels, as SExtractor has it, or
  /// its area.
  Overlap overlap = Overlap::sub_pixels;
  std::vector<double> apertures = {5};         ///< diameters of the circles of FLUX_APER in pixels (PHOT_APERTURES)
  std::vector<double> kron = {2.5, 3.5};       ///< of FLUX_AUTO: factor, and least radius (PHOT_AUTOPARAMS)
  std::vector<double> petrosian = {2.0, 3.5};  ///< of FLUX_PETRO: the same (PHOT_PETROPARAMS)
  std::vector<double> flux_radius = {0.5};     ///< parts of FLUX_AUTO, of FLUX_RADIUS (PHOT_FLUXFRAC)
  std::vector<double> annulus = {10, 20};      ///< inner and outer radius of that of ANNULUS_SKY in pixels
  std::string nnw;                             ///< SExtractor's file of a network that CLASS_STAR is told by
  std::vector<double> network = {};            ///< what that file holds, once it was read: no key of its own
  double seeing_fwhm = 1.2;                    ///< width of stars in arcseconds, for CLASS_STAR (SEEING_FWHM)
  double class_scale = 0;  ///< what CLASS_STAR has in place of pixel_scale, as the image tells; 0: that. No key

  bool operator==(const MeasurementConfig&) const = default;
};

}  // namespace srcextract
