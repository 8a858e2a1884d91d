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

/// Sums over the sources, one element for each.
struct MeasuredSums {
  std::span<const SourceSums> found;           ///< in the image in which sources were found
  std::span<const SourceSums> fluxes = {};     ///< in the measured image; empty: it is the same image
  std::span<const SourceSums> variances = {};  ///< in the image of noise variances; empty: all have the sky's variance
  const SkyMesh<Cpu>* mesh = nullptr;          ///< mesh whose level was subtracted before
  bool noise_varies = false;  ///< true: the mesh gives the noise; false: the levels give one for the image
  PixelNoise variances_of = PixelNoise::of_sky;
  bool deblended = false;
  std::span<const Parentage> parentage = {};  ///< set if sources were deblended or cleaned
  bool cleaned = false;
  std::span<const SourceSums> own = {};  ///< set if sources were cleaned: `found` without absorbed pixels
  /// Number of pixels above the analysis threshold, if there is one.
  std::optional<std::span<const std::int64_t>> areas = {};
  std::span<const float> least_variance = {};  ///< per source: least variance, if thresholds follow a map or mesh
  NoiseLaw noise_law = {};  ///< for the noise of the sky in FLUX_ISO, or for all noise that the variances hold
  /// Photon noise of the sources' pixels, in units of the variances, if the gain goes with the weight; else empty.
  std::span<const double> photons = {};
  std::span<const double> local_sky = {};  ///< sky about each source, above that of the image; empty: none is known
};

/// Turns the sums of every source into the columns of the catalogue, except the sky position (io/wcs/wcs.hpp adds it).
/// - Positions and shapes are those in the image in which sources were found.
/// - Fluxes and FLUX_MAX are those of the measured image.
/// - A split-off source has the position of its core, and its moments are about that position.
/// - A source that absorbed others keeps its position and size.
/// - FLUXERR_ISO includes photon noise: from the flux and the gain, or from the variances.
/// - BACKGROUND includes the local sky, and fluxes are above it.
///
/// Runs on the host for both back ends, and calls no function that libm may round differently. If `calibration` has an
/// element for each source, it receives what errors and magnitudes of other fluxes there need.
Sources derive_columns(const MeasuredSums& sums, const Shape& shape, const Levels& levels,
                       const MeasurementConfig& config, const Cpu& where = {},
                       std::span<FluxCalibration> calibration = {});
inline Sources derive_columns(std::span<const SourceSums> sums, const Shape& shape, const Levels& levels,
                              const MeasurementConfig& config, const Cpu& where = {}) {
  return derive_columns(MeasuredSums{sums}, shape, levels, config, where);
}

}  // namespace srcextract
