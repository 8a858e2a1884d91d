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
  of_sky,  ///< the unit is the variance of the sky
  of_map   ///< the unit is levels.noise_scale squared
};

/// Input of derive_columns(): sums over the pixels of each source. Every non-empty span has one element per source.
struct MeasuredSums {
  std::span<const SourceSums> found;  ///< sums in the detection image
  /// sums in the measured image; empty if the measured image is the detection image
  std::span<const SourceSums> fluxes = {};
  /// sums in the map of noise variances; empty if all pixels have the sky's variance
  std::span<const SourceSums> variances = {};
  const SkyMesh<Cpu>* mesh = nullptr;  ///< sky mesh that was subtracted from the image before; null if none was
  /// noise of the image in which sources were found, of which thresholds are multiples; null: that of `mesh`
  const SkyMesh<Cpu>* filtered = nullptr;
  /// true if the noise at a source comes from `mesh`; false if the noise is levels.sigma everywhere
  bool noise_varies = false;
  PixelNoise variances_of = PixelNoise::of_sky;
  bool deblended = false;
  std::span<const Parentage> parentage = {};  ///< empty if sources were neither deblended nor cleaned
  bool cleaned = false;
  /// after CLEAN: as `found`, without the pixels of absorbed sources; else empty
  std::span<const SourceSums> own = {};
  /// number of pixels above the analysis threshold; not set if there is no analysis threshold
  std::optional<std::span<const std::int64_t>> areas = {};
  /// least variance of a source's pixels; empty if all pixels have the same threshold
  std::span<const double> least_variance = {};
  /// correlation of the pixels' noise, applied to all of FLUXERR_ISO except `photons` and flux / gain
  NoiseLaw noise_law = {};
  /// The variance of each source's photon noise, in the unit `variances_of`, if weights.scale_gain is used. If this
  /// span is empty, photon noise is computed from flux and gain.
  std::span<const double> photons = {};
  /// local sky around each source minus the sky of the image; empty if no local sky was measured
  std::span<const double> local_sky = {};
};

/// Computes the usual columns of the catalogue (stages/measure/usual_columns.hpp) from the sums over each source.
/// Columns with sky coordinates are added later (io/wcs/wcs.hpp).
/// - Positions and shapes come from the detection image.
/// - Fluxes and FLUX_MAX come from the measured image.
/// - A source split off by deblending has the position of its core (see Parentage), and moments about this position.
/// - A source that absorbed others in CLEAN keeps its position and size.
/// - FLUXERR_ISO includes photon noise, from the flux and the gain or from the variances.
/// - BACKGROUND includes the local sky. Fluxes are measured above BACKGROUND.
///
/// Runs on the host also when a GPU measured the sums, and calls no function that libm may round differently.
/// `calibration` is empty or has one element per source. Each element receives the values that convert other fluxes of
/// the source to errors and magnitudes.
Sources derive_columns(const MeasuredSums& sums, const Shape& shape, const Levels& levels,
                       const MeasurementConfig& config, const Cpu& where = {},
                       std::span<FluxCalibration> calibration = {});

}  // namespace srcextract
