#pragma once

#include <cstdint>

namespace srcextract {

/// Profiles of galaxies that are fitted to every source (stages/galaxy).
enum class ModelFit { none, sersic, exponential, devaucouleurs, sersic_disk, devaucouleurs_disk, point };

/// Whether the level of the sky is known, or fitted with each galaxy.
enum class ModelSky { fixed, free };

/// Prior knowledge of shapes. weak: an axis ratio, an index and a size that galaxies have, with wide errors.
enum class ModelPriors { none, weak };

/// Settings of the fit of galaxy profiles, seen through the PSF, to every source.
struct ModelConfig {
  ModelFit fit = ModelFit::none;
  ModelSky sky = ModelSky::fixed;
  /// How often all sources are fitted (stages/galaxy/fit_galaxies.hpp). The first pass knows no models of neighbours,
  /// and the last subtracts them; between these, what models leave over is shared.
  std::int64_t passes = 3;
  /// Largest side of the box of pixels that is fitted, rounded down to 32, 48, 64, 96, 128, 192 or 256. The time of a
  /// fit grows with the square.
  std::int64_t max_box = 256;
  ModelPriors priors = ModelPriors::weak;
  /// Maximum number of steps of a fit.
  std::int64_t rounds = 40;

  bool has_spheroid() const {
    return fit == ModelFit::sersic || fit == ModelFit::devaucouleurs || fit == ModelFit::sersic_disk ||
           fit == ModelFit::devaucouleurs_disk;
  }
  bool has_free_index() const { return fit == ModelFit::sersic || fit == ModelFit::sersic_disk; }
  bool has_disk() const {
    return fit == ModelFit::exponential || fit == ModelFit::sersic_disk || fit == ModelFit::devaucouleurs_disk;
  }

  bool operator==(const ModelConfig&) const = default;
};

}  // namespace srcextract
