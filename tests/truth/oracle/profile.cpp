#include <algorithm>
#include <cmath>

#include "tests/truth/oracle/photometry.hpp"

namespace srcextract::oracle {
namespace {

/// Areas over eight levels, which grow by a factor from the threshold to the peak; their ratio is in float.
void count_levels(Object& object, float threshold, float peak) {
  for (int i = 0; i < 8; ++i) {
    const auto level = static_cast<float>(threshold * std::pow(static_cast<double>(peak / threshold), i / 8.0));
    object.iso.push_back(static_cast<int>(std::count_if(object.pixels.begin(), object.pixels.end(),
                                                        [&](const Pixel& pixel) { return pixel.value > level; })));
  }
}

/// The width of the Gaussian that fits the core: ln v = A - b r^2, each pixel weighed by the square of its value.
double fit_core(Object& object, float threshold, float peak, double saturation) {
  const float least = std::max(peak / 5, threshold);
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const Pixel& pixel : object.pixels) {
    if (!(pixel.value > least && pixel.value < saturation)) continue;
    ++object.fwhm_pixels;
    const double dx = pixel.x - object.shape.x, dy = pixel.y - object.shape.y, square = dx * dx + dy * dy;
    const double weight = static_cast<double>(pixel.value) * pixel.value,
                 height = std::log(static_cast<double>(pixel.value));
    s += weight;
    sx += weight * square;
    sy += weight * height;
    sxx += weight * square * square;
    sxy += weight * square * height;
  }
  const Ellipse& e = object.shape.ellipse;
  const double widest = 1 / (13.0 * e.a * e.b), determinant = s * sxx - sx * sx;
  if (determinant == 0) return 0;
  const double slope = std::max(widest, (sx * sy - s * sxy) / determinant);
  const double width = 1.6651 / std::sqrt(slope);
  return width - 1 / (4 * width);  // a pixel is no point
}

/// What a Gaussian of that area over that threshold has below it.
Flux corrected(const Object& object, const Flux& flux) {
  if (flux.value <= 0) return flux;
  const double area = static_cast<double>(object.filtered_area);
  const double eta = std::clamp(area * object.threshold / flux.value, 0.0, 1.0);
  const double share = flux.variance / (flux.value * flux.value), delta = eta * std::sqrt(share + 1 / area);
  const double error = 0.196099 * delta + 1.502416 * eta * delta;
  return {flux.value / (1 - 0.196099 * eta - 0.751208 * eta * eta), flux.value * flux.value * (share + error * error)};
}

}  // namespace

void measure_profile(Object& object, const Field& field, const Settings& settings) {
  const float threshold = object.analysis_threshold;
  float peak = object.pixels.front().value;
  for (const Pixel& pixel : object.pixels) peak = std::max(peak, pixel.value);
  count_levels(object, threshold, peak);
  object.fwhm = fit_core(object, threshold, peak, settings.satur_level - object.sky);
  Flux flux{object.flux, object.variance};
  add_photon_variance(flux, field, settings);
  object.variance = flux.variance;
  object.iso_corrected = corrected(object, flux);
  if (object.peak + object.sky >= settings.satur_level) object.flags |= saturated;
}

void measure(Object& object, const Masks& masks, const Field& field, const Settings& settings) {
  object.sky = sky_at(field, object.shape.x, object.shape.y);
  measure_profile(object, field, settings);
  measure_apertures(object, masks, field, settings);
  if (settings.automatic) measure_kron(object, masks, field, settings);
  if (settings.petro) measure_petrosian(object, masks, field, settings);
  double half_light = 0;
  if (settings.win || !settings.phot_fluxfrac.empty()) measure_radii(object, masks, field, settings, half_light);
  if (settings.win) measure_window(object, half_light, masks, field, settings);
}

}  // namespace srcextract::oracle
