#pragma once

#include <optional>
#include <span>

#include "stages/catalogue/sources.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/measure/measure.hpp"
#include "stages/measure/parentage.hpp"
#include "stages/settings/measurement.hpp"

namespace srcextract {

/// Unit of the variances of pixels.
enum class PixelNoise {
  of_sky,  ///< the variance of the sky
  of_map   ///< levels.noise_scale squared
};

/// Input of derive_columns: sums over the pixels of the sources, with one element per source.
struct MeasuredSums {
  std::span<const SourceSums> found;  ///< sums in the image in which sources were found
  /// sums in the measured image; empty: it is the same as the image of `found`
  std::span<const SourceSums> fluxes = {};
  /// sums in the map of noise variances; empty: all pixels have the sky's variance
  std::span<const SourceSums> variances = {};
  const SkyMesh<Cpu>* mesh = nullptr;  ///< mesh whose level was subtracted before
  bool noise_varies = false;           ///< true: the noise is that of `mesh`; false: levels.sigma everywhere
  PixelNoise variances_of = PixelNoise::of_sky;
  bool deblended = false;
  std::span<const Parentage> parentage = {};  ///< set if sources were deblended or cleaned
  bool cleaned = false;
  std::span<const SourceSums> own = {};  ///< set after CLEAN: as `found`, without the pixels of absorbed sources
  /// Per source, the number of pixels above the analysis threshold, if there is one.
  std::optional<std::span<const std::int64_t>> areas = {};
  /// per source: least variance of its pixels, if thresholds follow a map or mesh
  std::span<const float> least_variance = {};
  NoiseLaw noise_law = {};  ///< for the sky's noise in FLUXERR_ISO, or all noise in `variances`
  /// Per source, the variance of its photons, in units of the variances, if weights.scale_gain is used. Else empty: the
  /// flux and the gain then give it.
  std::span<const double> photons = {};
  std::span<const double> local_sky = {};  ///< sky about each source, above that of the image; empty: none is known
};

/// Computes the usual columns of the catalogue from the sums over each source. Sky positions are added later
/// (io/wcs/wcs.hpp).
/// - Positions and shapes come from the image in which sources were found.
/// - Fluxes and FLUX_MAX come from the measured image.
/// - A source split off by deblending has the position of its core, and moments about this position.
/// - A source that absorbed others keeps its position and size.
/// - FLUXERR_ISO includes photon noise: from the flux and the gain, or from the variances.
/// - BACKGROUND includes the local sky, and fluxes are above it.
///
/// Runs on the host for both back ends, and calls no function that libm may round differently. If `calibration` has an
/// element for each source, it receives the source's values for errors and magnitudes of other fluxes.
Sources derive_columns(const MeasuredSums& sums, const Shape& shape, const Levels& levels,
                       const MeasurementConfig& config, const Cpu& where = {},
                       std::span<FluxCalibration> calibration = {});
inline Sources derive_columns(std::span<const SourceSums> sums, const Shape& shape, const Levels& levels,
                              const MeasurementConfig& config, const Cpu& where = {}) {
  return derive_columns(MeasuredSums{sums}, shape, levels, config, where);
}

}  // namespace srcextract
