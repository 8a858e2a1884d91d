#include "stages/photometry/noise_of_sums.hpp"

#include <cstdint>
#include <numbers>

namespace srcextract {
namespace {

void scale_ellipses(const NoiseLaw& law, Buffer<EllipseFlux, Cpu>& rows) {
  for (EllipseFlux& row : rows) row.variance *= law.variance_factor(row.area);
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
}

}  // namespace srcextract
