#include "stages/photometry/noise_of_sums.hpp"

#include <cstdint>
#include <numbers>

#include "stages/math/psf_model.hpp"

namespace srcextract {
namespace {

void scale_ellipses(const NoiseLaw& law, Buffer<EllipseFlux, Cpu>& rows) {
  for (EllipseFlux& row : rows) row.variance *= law.variance_factor(row.area);
}

/// The number of pixels over which the PSF in the middle of the field is spread: its squared sum over its sum of
/// squares. The full width that a file of a PSF states does not tell it: stars may be elongated, or have wings.
double pixels_of(const PsfModel& psf) {
  double sum = 0, squares = 0;
  for (int i = 0; i < psf.columns * psf.rows; ++i) {
    const double light = psf.light()[i];
    sum += light;
    squares += light * light;
  }
  return sum * sum / squares * psf.step * psf.step;
}

/// Photon noise in the variance stays as it is.
void scale_stars(const NoiseLaw& law, const Settings& config, Buffer<StarLight, Cpu>& rows) {
  const PsfModel psf = StarFamily(config).psf;
  if (!psf.known()) return;
  const double pixels = pixels_of(psf), excess = (law.variance_factor(pixels) - 1) * pixels;
  for (StarLight& row : rows) row.pixels += excess;
}

}  // namespace

void scale_noise(const NoiseLaw& law, const Settings& config, Photometry<Cpu>& photometry) {
  FamilyRows<CircleFlux, Cpu>& circles = photometry.of<CircleFamily>();
  const CircleFamily family(config);
  for (std::int64_t row = 0; row < circles.rows.size(); ++row) {
    const double radius = family.radius[row % circles.each];
    circles.rows[row].variance *= law.variance_factor(std::numbers::pi * radius * radius);
  }
  scale_ellipses(law, photometry.of<KronFamily>().rows);
  scale_ellipses(law, photometry.of<PetrosianFamily>().rows);
  FamilyRows<WindowedSource, Cpu>& windows = photometry.of<WindowFamily>();
  for (std::int64_t row = 0; row < windows.rows.size(); ++row) {
    const double width = width_of_window(photometry.of<LightRadiusFamily>().of(row)->half_light);
    windows.rows[row].variance *= law.variance_factor(4 * std::numbers::pi * width * width);
  }
  scale_stars(law, config, photometry.of<StarFamily>().rows);
}

}  // namespace srcextract
