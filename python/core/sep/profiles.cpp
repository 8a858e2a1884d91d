#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "python/core/interrupt.hpp"
#include "python/core/sep/each_aperture.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "python/core/sep/sums.hpp"
#include "stages/core/parallel.hpp"

// Kron radii, radii of light and windowed positions by SEP's definitions. SEP's definitions
// differ from SExtractor's (stages/photometry/kron.hpp, growth.hpp, window.hpp). Geometry is in double, masked pixels
// are left out or replaced by the mean, a circle has 64 steps up to any radius, and the window is given.

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// Measures the Kron radius of an ellipse, 0 if it has none, and sets SEP's flags.
template <class T>
double kron_radius(const SepImage& image, const T* pixels, const SepEllipse& at, double r, std::int64_t source,
                   std::int16_t& flags) {
  const SepBox box = at.box(r, image.shape);
  flags = box.cut ? cut_off : 0;
  if (box.empty()) {
    flags |= all_masked;
    return 0;
  }
  auto looked_at = BoxPixels<T>::of(pixels, image.shape, box);
  double masked = 0;
  std::vector<T> unmasked;
  if (image.mask || image.segments != nullptr) {
    // Masked pixels count as 0, so that an empty mask changes no bit.
    box.for_each_pixel(image.shape.width, at.x, at.y, [&](std::int64_t i, double dx, double dy) {
      const bool hidden = image.hides(i, source);
      unmasked.push_back(hidden ? T{} : pixels[i]);
      if (!hidden || !(at.square(dx, dy) <= r * r)) return;
      ++masked;
      flags |= has_masked;
    });
    looked_at = {unmasked.data(), box.width(), unmasked.data() + unmasked.size()};
  }
  const EllipseSums sums = looked_at.sum_moments(box, at, r * r);
  if (sums.area == masked) {
    flags |= all_masked;
    return 0;
  }
  if (sums.light > 0 && sums.moment > 0) return sums.moment / sums.light;
  flags |= not_positive;
  return 0;
}

void kron_radii(const SepImage& image, const Values<double>& x, const Values<double>& y, const Values<double>& a,
                const Values<double>& b, const Values<double>& theta, const Values<double>& r,
                const Results<double>& radius, const Results<std::int16_t>& flags, int threads) {
  const double furthest = largest_of(r) * std::max(largest_of(a), largest_of(b));
  for_each_aperture(image, x, y, furthest, threads, [&](const auto* pixels, std::size_t i) {
    const auto ellipse = SepEllipse::of_axes(x.data()[i], y.data()[i], a.data()[i], b.data()[i], theta.data()[i]);
    radius.data()[i] = kron_radius(image, pixels, ellipse, r.data()[i], image.source_at(i), flags.data()[i]);
  });
}

constexpr int growth_steps = 64;

/// Cumulative light within radii around a position, in equal steps of radius.
using Growth = std::array<double, growth_steps>;

template <class T>
Growth light_in_steps(const SepImage& image, const T* pixels, double x, double y, double reach, std::int64_t source,
                      std::int64_t sub_pixels, std::int16_t& flags) {
  Growth light{}, area{}, masked_area{};
  constexpr double beyond_reach = 1.5;  // SExtractor's margin, which determines the flags
  const SepBox box = sep_box(x, y, reach + beyond_reach, reach + beyond_reach, image.shape);
  flags = box.cut ? cut_off : 0;
  const double step = reach / growth_steps, limit = (reach + beyond_reach) * (reach + beyond_reach);
  const double side = 1.0 / static_cast<double>(sub_pixels);
  box.for_each_pixel(image.shape.width, x, y, [&](std::int64_t i, double dx, double dy) {
    const double square = dx * dx + dy * dy;
    if (!(square < limit)) return;
    const bool masked = image.hides(i, source);
    if (masked) flags |= has_masked;
    const double value = masked ? 0 : static_cast<double>(pixels[i]);
    const auto add = [&](double distance, double part) {
      const double ring = distance / step;
      if (!(ring < growth_steps)) return;
      const auto k = static_cast<std::size_t>(ring);
      light[k] += part * value;
      area[k] += part;
      if (masked) masked_area[k] += part;
    };
    const double distance = std::sqrt(square), beyond = std::fmod(distance, step);
    if (beyond >= pixel_reach && beyond <= step - pixel_reach) {
      add(distance, 1);
    } else {
      for_each_sub_pixel(dx, dy, sub_pixels, [&](double u, double v) { add(std::sqrt(u * u + v * v), side * side); });
    }
  });
  double inside = 0;
  for (std::size_t k = 0; k < growth_steps; ++k) {
    if (image.mask && masked_area[k] > 0) light[k] *= area[k] / (area[k] - masked_area[k]);
    inside += std::isfinite(light[k]) ? light[k] : 0;
    light[k] = inside;
  }
  return light;
}

/// The radius that contains the light `wanted`.
double radius_of(const Growth& light, double wanted, double reach) {
  const double step = reach / growth_steps;
  double before = 0;
  for (std::size_t k = 0; k < growth_steps; ++k) {
    const double here = light[k];
    if (!(here < wanted)) {                // stops for NaN too, which is then the result
      if (k == 0 && wanted < 0) return 0;  // as in SEP
      return step * (static_cast<double>(k) + (here != before ? (wanted - before) / (here - before) : 0));
    }
    before = here;
  }
  return reach;
}

void flux_radii(const SepImage& image, const Values<double>& x, const Values<double>& y, const Values<double>& reach,
                const Columns& norm, const Values<double>& fractions, std::int64_t sub_pixels,
                const Results<double>& radius, const Results<std::int16_t>& flags, int threads) {
  for_each_aperture(image, x, y, largest_of(reach), threads, [&](const auto* pixels, std::size_t i) {
    const double furthest = reach.data()[i];
    const Growth light = light_in_steps(image, pixels, x.data()[i], y.data()[i], furthest, image.source_at(i),
                                        sub_pixels, flags.data()[i]);
    const double all = norm.empty() ? light.back() : norm[0].data()[i];
    double* to = radius.data() + i * fractions.size();
    for (const double fraction : span_of(fractions)) *to++ = radius_of(light, fraction * all, furthest);
  });
}

/// Windowed position: moves a Gaussian window to the centroid of its light.
template <class T>
std::int16_t windowed_position(const SepImage& image, const T* pixels, double& x, double& y, double sigma,
                               std::int64_t sub_pixels) {
  constexpr int most_rounds = 16;
  constexpr double at_rest = 1e-8;  // for the squared step
  std::int16_t flags = 0;
  static constexpr SepEllipse circle{0, 0};
  const SepAnnulus window(circle, -1, 4 * sigma, sub_pixels);
  for (int round = 0; round < most_rounds; ++round) {
    const SepBox box = sep_box(x, y, 4 * sigma, 4 * sigma, image.shape);
    if (box.cut) flags |= cut_off;
    double light = 0, moment_x = 0, moment_y = 0;
    double all = 0, area = 0, masked = 0, masked_x = 0, masked_y = 0;
    box.for_each_pixel(image.shape.width, x, y, [&](std::int64_t i, double dx, double dy) {
      const double part = window.part(dx, dy);
      if (part < 0) return;
      const double weight = part * std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
      if (image.is_masked(i)) {
        masked += weight;
        masked_x += weight * dx;
        masked_y += weight * dy;
        flags |= has_masked;
        return;
      }
      const auto value = static_cast<double>(pixels[i]);
      all += part * value;
      area += part;
      light += weight * value;
      moment_x += weight * value * dx;
      moment_y += weight * value * dy;
    });
    if (area > 0) {  // masked pixels get the mean of the unmasked ones in the aperture
      const double mean = all / area;
      light += mean * masked;
      moment_x += mean * masked_x;
      moment_y += mean * masked_y;
    }
    if (!(light > 0)) break;
    const double dx = moment_x / light, dy = moment_y / light;
    x += 2 * dx;
    y += 2 * dy;
    if (dx * dx + dy * dy < at_rest) break;
  }
  return flags;
}

void windowed_positions(const SepImage& image, const Results<double>& x, const Results<double>& y,
                        const Values<double>& sigma, std::int64_t sub_pixels, const Results<std::int16_t>& flags,
                        int threads) {
  const double furthest = 16 * largest_of(sigma);  // the window's reach, times the greatest number of rounds
  for_each_aperture(image, x, y, furthest, threads, [&](const auto* pixels, std::size_t i) {
    flags.data()[i] = windowed_position(image, pixels, x.data()[i], y.data()[i], sigma.data()[i], sub_pixels);
  });
}

void mask_ellipses(const Results<std::uint8_t>& to, std::int64_t width, std::int64_t height, const Values<double>& x,
                   const Values<double>& y, const Values<double>& cxx, const Values<double>& cyy,
                   const Values<double>& cxy, const Values<double>& r) {
  const auto fill = [&](std::size_t k) {
    SepEllipse at{x.data()[k], y.data()[k], cxx.data()[k], cyy.data()[k], cxy.data()[k]};
    const double determinant = at.cxx * at.cyy - at.cxy * at.cxy / 4, size = r.data()[k];
    at.reach_x = std::sqrt(at.cyy / determinant);
    at.reach_y = std::sqrt(at.cxx / determinant);
    at.box(size, {width, height}).for_each_pixel(width, at.x, at.y, [&](std::int64_t i, double dx, double dy) {
      if (at.square(dx, dy) < size * size) to.data()[i] = 1;
    });
  };
  constexpr std::int64_t ellipses_per_piece = 16;
  do_watchfully([&] {
    parallel_for(static_cast<std::int64_t>(x.shape(0)), ellipses_per_piece, Cpu{1},
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t k = begin; k < end; ++k) fill(static_cast<std::size_t>(k));
                 });
  });
}

}  // namespace

void bind_sep_profiles(nb::module_& module) {
  module.def("sep_kron_radii", &kron_radii);
  module.def("sep_flux_radii", &flux_radii);
  module.def("sep_windowed_positions", &windowed_positions);
  module.def("sep_mask_ellipses", &mask_ellipses);
}

}  // namespace srcextract::python
