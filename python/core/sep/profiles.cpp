#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>

#include "python/core/interrupt.hpp"
#include "python/core/sep/aperture_rows.hpp"
#include "python/core/sep/each_aperture.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "stages/core/parallel.hpp"

// Kron radii and windowed positions by SEP's definitions. SExtractor's definitions (stages/photometry/kron.hpp,
// window.hpp) differ. Here geometry is in double, masked pixels are left out or replaced by the mean, and the caller
// gives the width of the window.

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// The Kron radius of an ellipse, in units of the ellipse's axes; 0 if there is no positive light. Sets SEP's flags.
double kron_radius(const SepImage& image, ApertureRows& rows, const SepEllipse& at, double r, std::int64_t source,
                   std::int16_t& flags) {
  const SepBox box = at.box(r, image.shape);
  flags = box.cut ? cut_off : 0;
  const ApertureSums sums = rows.sum_moments(at, r, box, source);
  if (sums.masked_area > 0) flags |= has_masked;
  if (sums.area == sums.masked_area) {
    flags |= all_masked;
    return 0;
  }
  const double moment = sums.variance;
  if (sums.light > 0 && moment > 0) return moment / sums.light;
  flags |= not_positive;
  return 0;
}

void kron_radii(const SepImage& image, const Values<double>& x, const Values<double>& y, const Values<double>& a,
                const Values<double>& b, const Values<double>& theta, const Values<double>& r,
                const Results<double>& radius, const Results<std::int16_t>& flags, int threads) {
  const double furthest = largest_of(r) * std::max(largest_of(a), largest_of(b));
  for_each_aperture<ApertureRows>(image, x, y, furthest, threads, [&](ApertureRows& rows, std::size_t i) {
    const auto ellipse = SepEllipse::of_axes(x.data()[i], y.data()[i], a.data()[i], b.data()[i], theta.data()[i]);
    radius.data()[i] = kron_radius(image, rows, ellipse, r.data()[i], image.source_at(i), flags.data()[i]);
  });
}

/// Moves (x, y) until the light under a Gaussian window about (x, y) is centred there. Returns SEP's flags.
std::int16_t windowed_position(const SepImage& image, ApertureRows& rows, double& x, double& y, double sigma,
                               std::int64_t sub_pixels, bool ignores_masked, std::int64_t source) {
  constexpr int most_rounds = 16;
  constexpr double at_rest = 1e-8;  // limit on the squared step, in pixels
  std::int16_t flags = 0;
  for (int round = 0; round < most_rounds; ++round) {
    const SepEllipse circle{x, y};
    const SepBox box = circle.box(4 * sigma, image.shape);
    WindowSums sums = rows.sum_window({circle, -1, 4 * sigma, sub_pixels}, sigma, box, source);
    if (box.cut) flags |= cut_off;
    if (sums.has_masked) flags |= has_masked;
    if (sums.area > 0 && !ignores_masked) {  // masked pixels get the mean of the other pixels of the aperture
      const double mean = sums.all / sums.area;
      sums.light += mean * sums.masked;
      sums.x += mean * sums.masked_x;
      sums.y += mean * sums.masked_y;
    }
    if (!(sums.light > 0)) break;
    const double dx = sums.x / sums.light, dy = sums.y / sums.light;
    x += 2 * dx;
    y += 2 * dy;
    if (dx * dx + dy * dy < at_rest) break;
  }
  return flags;
}

void windowed_positions(const SepImage& image, const Results<double>& x, const Results<double>& y,
                        const Values<double>& sigma, std::int64_t sub_pixels, bool ignores_masked,
                        const Results<std::int16_t>& flags, int threads) {
  // 4 sigma times the root of 16 rounds: the work is that of a single aperture of this radius.
  const double furthest = 16 * largest_of(sigma);
  for_each_aperture<ApertureRows>(image, x, y, furthest, threads, [&](ApertureRows& rows, std::size_t i) {
    flags.data()[i] = windowed_position(image, rows, x.data()[i], y.data()[i], sigma.data()[i], sub_pixels,
                                        ignores_masked, image.source_at(i));
  });
}

}  // namespace

void bind_sep_profiles(nb::module_& module) {
  module.def("sep_kron_radii", &kron_radii);
  module.def("sep_windowed_positions", &windowed_positions);
}

}  // namespace srcextract::python
