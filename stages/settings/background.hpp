#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/core/decimal.hpp"
#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class BackgroundMethod { constant, mesh };
enum class BackgroundEstimator { mode, sextractor, median };
enum class NoiseBetweenNodes { bounded, sextractor };
enum class BackgroundSurface { spline, quadric };

/// Limits of BackgroundConfig::mesh_size, in pixels. A mesh (a cell of a grid over the image) of fewer than 8 x 8
/// pixels has too few sky pixels for an estimate.
inline constexpr std::int64_t least_mesh_size = 8, most_mesh_size = 1 << 20;

/// How the level and the noise of the sky are estimated: once for the whole image, or in each mesh.
struct BackgroundConfig {
  BackgroundMethod method = BackgroundMethod::mesh;
  /// Pixels at or beyond median +- kappa sigma are clipped. A kappa below 2 makes sigma too low, and noise is detected
  /// as sources. A kappa above 5 lets the wings of bright sources raise sigma.
  double kappa = 3.0;
  /// Maximum number of clipping iterations. 0: clipping stops when an iteration drops no pixel. Only
  /// BackgroundMethod::constant uses this number.
  std::int64_t max_iterations = 0;
  /// Width of a mesh in pixels. Smaller meshes follow the sky more closely, but count parts of large sources as sky.
  std::int64_t mesh_size = 64;
  /// Height of a mesh in pixels; 0: meshes are squares.
  std::int64_t mesh_height = 0;
  /// Estimator of the sky level of a mesh. mode: 2.5 median - 1.5 mean, which sources bias less, or the median in
  /// crowded meshes; the median of whole numbers is found within a step. sextractor: the same, but the median is a
  /// value of the pixels. median: the median of the unclipped pixels, of whole numbers within a step.
  BackgroundEstimator estimator = BackgroundEstimator::mode;
  /// The noise between the centres of meshes. bounded: SExtractor's spline within the range of the centres around a
  /// pixel, and beyond the outermost a line that may rise twofold. sextractor: the spline, which may be negative.
  NoiseBetweenNodes rms_map = NoiseBetweenNodes::bounded;
  /// Width of the median filter over the grid of meshes, in meshes; odd.
  std::int64_t filter_size = 3;
  /// Height of the median filter, in meshes; odd. 0: as filter_size.
  std::int64_t filter_height = 0;
  /// The filter replaces level and noise of a mesh only if the level changes by at least this much, in the unit of the
  /// pixels.
  double filter_threshold = 0;
  /// Width of a mesh of a radio map, as a multiple of the beam's mean FWHM (PixelBeam::side); replaces mesh_size. 0:
  /// mesh_size is used. The noise of a mesh that is less than 10 beams wide is uncertain by more than 7 %.
  double mesh_beams = 0;
  /// Number of passes over the meshes, 1 or 2. The second pass leaves out pixels far above the sky of the first pass,
  /// and pixels near them (stages/sky/mask_bright.hpp). With one pass, the wings of sources raise the noise by
  /// about 4 %.
  std::int64_t refine = 1;
  /// How the levels of meshes become the level of the sky. spline: by the median filter and the spline. quadric: a
  /// second pass leaves out light that is too faint for any pixel (stages/sky/mask_light.hpp), and the spline goes
  /// through quadrics over 13 x 13 meshes (stages/sky/sky_surface.hpp), whatever `refine` is.
  BackgroundSurface surface = BackgroundSurface::spline;

  bool operator==(const BackgroundConfig&) const = default;
};

/// Whether the meshes are estimated a second time, without sources.
inline bool has_second_pass(const BackgroundConfig& config) {
  return config.refine > 1 || config.surface == BackgroundSurface::quadric;
}

/// Sky level and noise that the user gives, in place of estimates.
struct GivenSkyConfig {
  /// The level that is subtracted from every pixel: a number, or a file with a map of the image's shape. If empty and
  /// level_hdu names an HDU, the map is that HDU of the image's file. If empty with level_hdu `auto`, the level is
  /// estimated.
  std::string level;
  HduNames level_hdu;  ///< HDUs of the map, as WeightsConfig::hdu
  std::string rms;     ///< a number above 0: the noise of every pixel; empty: the noise is estimated

  bool operator==(const GivenSkyConfig&) const = default;
};

inline bool has_level(const GivenSkyConfig& config) {
  return !config.level.empty() || config.level_hdu != "auto";
}

inline bool has_level_map(const GivenSkyConfig& config) {
  return has_level(config) && !given_number(config.level);
}

}  // namespace srcextract
