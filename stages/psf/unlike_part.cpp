#include "stages/psf/unlike_part.hpp"

#include <cmath>

#include "stages/math/median.hpp"
#include "stages/psf/psf_stamps.hpp"
#include "stages/psf/star_width.hpp"

namespace srcextract {
namespace {

/// Returns the width that measure_width() finds for an image of the PSF at a place, from a half-light radius on.
double width_of_psf(const PsfSurface& surface, double x, double y, double radius) {
  constexpr double reach = 2;  // of measure_width, in half-light radii
  constexpr int margin = 3;
  const PsfWindow window(surface, x, y, static_cast<int>(std::ceil(reach * radius)) + margin);
  std::vector<double> pixels;
  window.draw(surface.at(x, y).data(), pixels);
  Image<float, Cpu> drawn({window.size(), window.size()}, Cpu());
  window.for_each([&](std::size_t i, int column, int row) {
    drawn.pixels[std::int64_t{row} * window.size() + column] = static_cast<float>(pixels[i]);
  });
  return measure_width(drawn, x - static_cast<double>(window.left()), y - static_cast<double>(window.top()), radius)
      .width;
}

}  // namespace

double width_in_middle(const PsfSurface& surface) {
  return width_of_psf(surface, static_cast<double>(surface.image.width - 1) / 2,
                      static_cast<double>(surface.image.height - 1) / 2, surface.width / 2);
}

UnlikePart find_unlike_part(const PsfSurface& surface, const std::vector<PsfStar>& stars) {
  constexpr std::size_t cells = 3, least_stars = 8;
  constexpr double alike = 0.09, least = 0.05;
  std::vector<std::vector<double>> off(cells * cells);
  for (const PsfStar& star : stars) {
    if (!(std::abs(star.width / star.width_nearby - 1) < alike)) continue;
    const double ratio = star.width / width_of_psf(surface, star.x, star.y, star.radius);
    // an image of the PSF without a width is no star
    off[cell_of(star, surface.image, cells)].push_back(std::isfinite(ratio) ? std::abs(ratio - 1) : 1);
  }
  UnlikePart worst{.off = least};
  for (std::size_t i = 0; i < off.size(); ++i) {
    if (off[i].size() < least_stars || upper_median(off[i]) <= worst.off) continue;
    const auto middle = [](std::size_t index, std::int64_t side) {
      return (static_cast<double>(index) + 0.5) * static_cast<double>(side) / cells;
    };
    worst = {off[i].size(), upper_median(off[i]), middle(i % cells, surface.image.width),
             middle(i / cells, surface.image.height)};
  }
  return worst;
}

}  // namespace srcextract
