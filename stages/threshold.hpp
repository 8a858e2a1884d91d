#pragma once

#include "config/config.hpp"
#include "stages/background.hpp"
#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// The levels that detection and measurement use, in pixel units.
struct Levels {
  double detection = 0;   ///< a pixel belongs to a source if it is strictly greater
  double background = 0;  ///< subtracted from every pixel that is measured
  double sigma = 0;       ///< noise of one pixel

  bool operator==(const Levels&) const = default;
};

/// What the configuration means on this image. Throws Error{input} if the threshold is in units of a sigma that is 0.
Levels resolve_levels(const Background& background, const Config& config);

/// Segments the image: every pixel strictly greater than `level`. Masked pixels never are.
Runs<Cpu> find_runs(const Image<float, Cpu>& image, double level, const Cpu& where);
Runs<Gpu> find_runs(const Image<float, Gpu>& image, double level, const Gpu& where);

}  // namespace srcextract
