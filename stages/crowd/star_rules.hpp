#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/crowd/crowd_stars.hpp"
#include "stages/crowd/star_cells.hpp"

namespace srcextract {

/// The term added to the diagonal of the equations for a star's position. The term is a prior: a step is expected to be
/// about 0.3 pixels.
SRCEXTRACT_HOST_DEVICE inline double held_step(double flux) {
  constexpr double pixels = 0.3;
  const double scaled = (flux > 1 ? flux : 1) * pixels;
  return 1 / (scaled * scaled);
}

/// The rules for moving and removing stars after the equations are solved.
struct StarRules {
  double fwhm = 1, nearest = 0;  ///< nearest: two stars at this distance in pixels or less count as one star
  std::int64_t width = 0, height = 0;
  double shared_noise = 1;  ///< factor by which errors of independent pixels are too small

  /// Whether a position is in the image or at most `margin` pixels outside.
  SRCEXTRACT_HOST_DEVICE bool is_within(double x, double y, double margin) const {
    const double least = -0.5 - margin;
    return x >= least && y >= least && x < static_cast<double>(width) - 1 - least &&
           y < static_cast<double>(height) - 1 - least;
  }

  /// Moves a star by `step` / flux, but by at most a quarter of the FWHM. The equations give `step`, flux times
  /// displacement. Returns false if the star must be removed because its flux is not significant or the star is more
  /// than a FWHM outside the image. `information` is the inverse variance that the flux would have if all other
  /// unknowns were fixed.
  SRCEXTRACT_HOST_DEVICE bool move(CrowdStar& star, double information, double step_x, double step_y) const {
    constexpr double least_significance = 3, most_step = 0.25;
    const double least = least_significance * shared_noise;
    const bool counts = information > 0 && star.flux > 0 && star.flux * star.flux * information > least * least;
    if (!counts) return false;
    double dx = step_x / star.flux, dy = step_y / star.flux;
    const double step = std::sqrt(dx * dx + dy * dy), most = most_step * fwhm;
    if (step > most) {
      dx *= most / step;
      dy *= most / step;
    }
    star.x += dx;
    star.y += dy;
    return is_within(star.x, star.y, fwhm);
  }

  /// Whether a brighter star, or an equally bright star of lower number, is within `nearest`. Stars with keep[j] = 0
  /// are ignored.
  template <class Keep>
  SRCEXTRACT_HOST_DEVICE bool is_double(const CrowdStar* stars, const Keep* keep, const CellsView& cells,
                                        std::int32_t i) const {
    const CrowdStar& own = stars[i];
    bool is = false;
    cells.each_near(own.x - nearest, own.x + nearest, own.y - nearest, own.y + nearest, [&](std::int32_t j) {
      if (j == i || keep[j] == 0) return;
      const CrowdStar& other = stars[j];
      const double dx = other.x - own.x, dy = other.y - own.y;
      if (dx * dx + dy * dy > nearest * nearest) return;
      if (own.flux < other.flux || (own.flux == other.flux && i > j)) is = true;
    });
    return is;
  }
};

}  // namespace srcextract
