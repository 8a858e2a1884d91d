#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class BackgroundMethod { constant, mesh };
enum class BackgroundEstimator { sextractor, median };

/// How sky level and noise are estimated, for the whole image or mesh by mesh.
struct BackgroundConfig {
  BackgroundMethod method = BackgroundMethod::mesh;
  /// Pixels at or beyond median +- kappa sigma are clipped. Lower than 2 biases sigma low and adds false sources;
  /// higher than 5 lets the wings of bright sources raise it.
  double kappa = 3.0;
  /// Rounds of clipping; 0 = until nothing is clipped any more. Of `constant` alone.
  std::int64_t max_iterations = 0;
  /// Width of a mesh in pixels. Smaller follows the sky more closely, and takes large sources for sky.
  std::int64_t mesh_size = 64;
  /// Height of a mesh in pixels; 0: meshes are squares.
  std::int64_t mesh_height = 0;
  /// What stands for the sky of a mesh: SExtractor's mode, which is less drawn by sources, or the clipped median.
  BackgroundEstimator estimator = BackgroundEstimator::sextractor;
  /// Meshes along x of the median filter over them, odd.
  std::int64_t filter_size = 3;
  /// Meshes along y of that filter, odd; 0: as many as along x.
  std::int64_t filter_height = 0;
  /// The filter replaces a mesh whose level differs from the median by at least so much, in units of the pixels.
  double filter_threshold = 0;

  bool operator==(const BackgroundConfig&) const = default;
};

/// What is known of the sky, and is not estimated.
struct GivenSkyConfig {
  /// Subtracted from every pixel: a number, or a file that holds a map of the image's shape. Empty: that of the image,
  /// if there is an HDU, or else the level is estimated.
  std::string level;
  HduNames level_hdu;  ///< as those of the weights; of the image's own file `auto` means no map
  std::string rms;     ///< the noise of a pixel, a number; empty: it is estimated

  bool operator==(const GivenSkyConfig&) const = default;
};

/// The number that a text is; nothing if it is none.
std::optional<double> given_number(const std::string& text);

/// Whether a level is given.
inline bool has_level(const GivenSkyConfig& config) {
  return !config.level.empty() || config.level_hdu != "auto";
}

/// Whether it is a map.
inline bool has_level_map(const GivenSkyConfig& config) {
  return has_level(config) && !given_number(config.level);
}

}  // namespace srcextract
