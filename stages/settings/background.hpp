#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/core/decimal.hpp"
#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class BackgroundMethod { constant, mesh };
enum class BackgroundEstimator { sextractor, median };

/// Limits of BackgroundConfig::mesh_size. A smaller mesh has too few sky pixels.
inline constexpr std::int64_t least_mesh_size = 8, most_mesh_size = 1 << 20;

/// How level and noise of the sky are estimated: for the whole image, or mesh by mesh.
struct BackgroundConfig {
  BackgroundMethod method = BackgroundMethod::mesh;
  /// Pixels at or beyond median +- kappa sigma are clipped. Below 2, sigma is biased low, with false sources; above 5,
  /// the wings of bright sources raise sigma.
  double kappa = 3.0;
  /// Maximum rounds of clipping; 0: until a round clips nothing. Only for BackgroundMethod::constant.
  std::int64_t max_iterations = 0;
  /// Width of a mesh in pixels. Smaller meshes follow the sky more closely, but take parts of large sources for sky.
  std::int64_t mesh_size = 64;
  /// Height of a mesh in pixels; 0: meshes are squares.
  std::int64_t mesh_height = 0;
  /// How the sky level of a mesh is computed: SExtractor's mode, which sources bias less, or the clipped median.
  BackgroundEstimator estimator = BackgroundEstimator::sextractor;
  /// Size along x of the median filter over the meshes, in meshes; odd.
  std::int64_t filter_size = 3;
  /// Size of the filter along y, in meshes, odd; 0: as along x.
  std::int64_t filter_height = 0;
  /// The filter replaces the level of a mesh that differs from the median by at least this, in units of the pixels.
  double filter_threshold = 0;
  /// Width of a mesh of a radio map in beams; it replaces mesh_size. 0: mesh_size is used. With fewer than 10 beams,
  /// the noise of a mesh is uncertain by more than 7 %.
  double mesh_beams = 0;
  /// Number of passes. In the second pass the islands that the first one found are masked. With one pass, wings of
  /// sources raise the noise by some 4 %.
  std::int64_t refine = 1;

  bool operator==(const BackgroundConfig&) const = default;
};

/// Level and noise of the sky given by the user, which are then not estimated.
struct GivenSkyConfig {
  /// The level to subtract from every pixel: a number, or a file with a map of the image's shape. Empty: a map in the
  /// image's own file if level_hdu names an HDU, else the level is estimated.
  std::string level;
  HduNames level_hdu;  ///< as WeightsConfig::hdu; `auto` without a file means no map
  std::string rms;     ///< the noise of a pixel, a number; empty: estimated

  bool operator==(const GivenSkyConfig&) const = default;
};

/// Whether a level is given.
inline bool has_level(const GivenSkyConfig& config) {
  return !config.level.empty() || config.level_hdu != "auto";
}

/// Whether the given level is a map.
inline bool has_level_map(const GivenSkyConfig& config) {
  return has_level(config) && !given_number(config.level);
}

}  // namespace srcextract
