#include "stages/crowd/outer_wings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stages/crowd/star_cells.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// The light of the PSF near the border of its mask (the grid that tabulates the PSF), extrapolated beyond.
struct Wing {
  double from = 0;   ///< distance in pixels beyond which the mask may lack light: one FWHM before the border
  double at = 0;     ///< radius of a ring in which the light is known
  double light = 0;  ///< light of a star of flux 1 in a pixel of this ring; 0: none
  double power = 0;  ///< the light is proportional to distance^-power
  double area = 0;   ///< flux that a fit of the PSF finds in a uniform light of 1 per pixel: 1 / (sum of PSF^2)

  /// Light in a pixel of a star of flux 1; `square` is the square of the distance.
  double operator()(double square) const {
    return light * portable_exp(-power * (portable_log(square) / 2 - portable_log(at)));
  }
};

/// Mean of the pixels whose distance from the middle is above radius - 1 and at most `radius`.
double ring(const CrowdStamp& stamp, double radius) {
  double sum = 0;
  std::int64_t count = 0;
  for (std::int64_t j = 0; j < stamp.side(); ++j) {
    for (std::int64_t i = 0; i < stamp.side(); ++i) {
      const auto dx = static_cast<double>(i - stamp.half), dy = static_cast<double>(j - stamp.half);
      const double distance = std::sqrt(dx * dx + dy * dy);
      if (distance > radius || distance <= radius - 1) continue;
      sum += static_cast<double>(stamp.numbers[stamp.place(i, j)]);
      ++count;
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

/// The wing of the PSF in the middle of the image. PSFEx lets its models fade within one FWHM of the border, so the
/// ring is further inside.
Wing find_wing(const CrowdPsf& psf, const Shape& shape) {
  constexpr double inner_part = 0.6, least_power = 2, most_power = 6;
  std::vector<float> pixels(static_cast<std::size_t>(CrowdPsf::numbers_for(psf.most_half())));
  CrowdPsf::Scratch scratch;
  const CrowdStamp stamp =
      psf.draw(std::floor(static_cast<double>(shape.width) / 2), std::floor(static_cast<double>(shape.height) / 2),
               psf.most_half(), false, pixels.data(), scratch);
  Wing wing;
  wing.from = psf.most_half() - psf.fwhm();
  wing.at = std::floor(wing.from);
  const double inside = std::floor(inner_part * wing.at);
  if (inside < psf.fwhm() || inside >= wing.at) return wing;
  const double there = ring(stamp, inside);
  wing.light = std::max(0.0, ring(stamp, wing.at));
  const double fall = wing.light > 0 ? portable_log(there / wing.light) / portable_log(wing.at / inside) : most_power;
  wing.power = std::clamp(fall, least_power, most_power);
  double squares = 0;
  for (std::int64_t i = 0; i < stamp.plane(); ++i)
    squares += static_cast<double>(stamp.numbers[i]) * static_cast<double>(stamp.numbers[i]);
  wing.area = 1 / squares;
  return wing;
}

}  // namespace

void drop_outer_wings(const CrowdPsf& psf, const Shape& shape, const std::vector<CrowdStar>& known, double sigma,
                      std::vector<CrowdStar>& found) {
  // brighter: least brightness relative to the wing; dark: light of a wing that is ignored, in errors of an isolated
  // star's flux
  constexpr double brighter = 2, dark = 3;
  const Wing wing = find_wing(psf, shape);
  if (!(wing.light > 0) || found.empty()) return;
  const double least = dark * sigma / std::sqrt(wing.area);  // a fainter wing cannot look like a star
  StarCells cells(shape);
  cells.fill(found);
  std::vector<double> light(found.size(), 0.0);
  const double at_end = wing(wing.from * wing.from);
  for (const CrowdStar& star : known) {
    if (!(star.flux * at_end > least)) continue;
    const double reach = wing.at * portable_exp(portable_log(star.flux * wing.light / least) / wing.power);
    cells.view().each_near(star.x - reach, star.x + reach, star.y - reach, star.y + reach, [&](std::int32_t number) {
      const auto i = static_cast<std::size_t>(number);
      const double dx = found[i].x - star.x, dy = found[i].y - star.y, square = dx * dx + dy * dy;
      if (square > wing.from * wing.from && square <= reach * reach)
        // The maximum, not the sum: the summed wings of many stars are as smooth as the sky.
        light[i] = std::max(light[i], star.flux * wing(square));
    });
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].flux > brighter * wing.area * light[i]) found[kept++] = found[i];
  found.resize(kept);
}

}  // namespace srcextract
