#pragma once

#include <optional>
#include <span>

#include "config/settings/measurement.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/measure/flux_calibration.hpp"
#include "stages/measure/measure.hpp"
#include "stages/measure/parentage.hpp"

namespace srcextract {

/// What the variances of pixels are counted in.
enum class PixelNoise {
  of_sky,  ///< the variance of the sky
  of_map   ///< levels.noise_scale squared
};

/// What was summed over the sources, an element for each.
struct MeasuredSums {
  std::span<const SourceSums> found;           ///< in the image in which they were found
  std::span<const SourceSums> fluxes = {};     ///< in the image that is measured; none: it is the same
  std::span<const SourceSums> variances = {};  ///< in the variances of its noise; none: all are those of the sky
  const SkyMesh<Cpu>* mesh = nullptr;          ///< whose level was subtracted before
  bool noise_varies = false;                   ///< as the mesh tells; else it is that of the levels all over
  PixelNoise variances_of = PixelNoise::of_sky;
  bool deblended = false;
  std::span<const Parentage> parentage = {};  ///< then, and if they are cleaned, what is known of them by that
  bool cleaned = false;
  std::span<const SourceSums> own = {};  ///< then those of `found` over the pixels that they did not eat
  /// Pixels above the analysis threshold, if there is one.
  std::optional<std::span<const std::int64_t>> areas = {};
  std::span<const float> least_variance = {};  ///< of the pixels of each, where thresholds follow a map or the mesh
  NoiseLaw noise_law = {};  ///< of the noise of the sky in FLUX_ISO, or of all that the variances tell of
};

/// Turns the sums of every source into the columns of the catalogue, all but the sky position (io/wcs/wcs.hpp adds it).
/// Positions and shapes are those where the sources were found, fluxes and FLUX_MAX those of the image that is
/// measured. A source that was split off is where its core is, and its moments are about that; one that ate others is
/// where and as wide as it was before. FLUXERR_ISO has the
/// photon noise that follows from the flux and the gain, or that the variances tell. Runs on the host for both back
/// ends, with no function that libm rounds freely. `calibration`, if it has an element for each source, is filled with
/// what errors and magnitudes of other fluxes are made of there.
Sources derive_columns(const MeasuredSums& sums, const Shape& shape, const Levels& levels,
                       const MeasurementConfig& config, const Cpu& where = {},
                       std::span<FluxCalibration> calibration = {});
inline Sources derive_columns(std::span<const SourceSums> sums, const Shape& shape, const Levels& levels,
                              const MeasurementConfig& config, const Cpu& where = {}) {
  return derive_columns(MeasuredSums{sums}, shape, levels, config, where);
}

}  // namespace srcextract
