#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

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

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// Kron radius and SEP's flags.
struct KronRadius {
  double radius = 0;
  std::int16_t flags = 0;
};

template <class T>
KronRadius kron_radius(const SepImage& image, const T* pixels, double x, double y, const EllipseForm& form, double r,
                       std::int64_t segment) {
  KronRadius kron;
  const SepBox box = sep_box(x, y, r * form.reach_x, r * form.reach_y, image.shape);
  if (box.cut) kron.flags |= cut_off;
  const double square = r * r;
  const std::int64_t width = box.x_end - box.x_begin;
  if (width <= 0 || box.y_end <= box.y_begin) {
    kron.flags |= all_masked;
    return kron;
  }
  const T* const first = pixels + box.y_begin * image.shape.width + box.x_begin;
  BoxPixels<T> looked_at{first, image.shape.width, pixels + image.shape.count()};
  std::int64_t masked = 0;
  std::vector<T> unmasked;
  if (image.mask || image.segments != nullptr) {
    // Masked pixels count as dark, so that an empty mask changes no bit.
    for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
      before_row(width);
      for (std::int64_t column = box.x_begin; column < box.x_end; ++column) {
        const std::int64_t i = row * image.shape.width + column;
        const bool hidden = image.is_masked(i) || is_of_another(image, i, segment);
        unmasked.push_back(hidden ? T{} : pixels[i]);
        if (!hidden || !(form.square(static_cast<double>(column) - x, static_cast<double>(row) - y) <= square))
          continue;
        ++masked;
        kron.flags |= has_masked;
      }
    }
    looked_at = {unmasked.data(), width, unmasked.data() + unmasked.size()};
  }
  const EllipseSums sums = looked_at.sum_moments(box, {x, y, form}, square);
  const double light = sums.light, moment = sums.moment;
  const std::int64_t counted = sums.count - masked;
  if (counted == 0) {
    kron.flags |= all_masked;
  } else if (!(light > 0) || !(moment > 0)) {
    kron.flags |= not_positive;
  } else {
    kron.radius = moment / light;
  }
  return kron;
}

void kron_radii(const AnyArray& data, const OptionalArray& mask, double mask_threshold, const OptionalArray& segments,
                const std::optional<Values<std::int64_t>>& segment, const Values<double>& x, const Values<double>& y,
                const Values<double>& a, const Values<double>& b, const Values<double>& theta, const Values<double>& r,
                const Results<double>& radius, const Results<std::int16_t>& flags, int threads) {
  SepImage image = sep_image(data, mask, mask_threshold);
  if (segments) image.segments = static_cast<const std::int32_t*>(segments->data());
  const auto segment_of = span_of(segment);
  const double furthest = largest_of(span_of(r)) * std::max(largest_of(span_of(a)), largest_of(span_of(b)));
  for_each_aperture(image, span_of(x), span_of(y), furthest, threads, [&](const auto* pixels) {
    return [&, pixels](std::int64_t i) {
      const EllipseForm form = EllipseForm::of_axes(a.data()[i], b.data()[i], theta.data()[i]);
      const KronRadius kron = kron_radius(image, pixels, x.data()[i], y.data()[i], form, r.data()[i],
                                          segment_of.empty() ? 0 : segment_of[static_cast<std::size_t>(i)]);
      radius.data()[i] = kron.radius;
      flags.data()[i] = kron.flags;
    };
  });
}

constexpr int growth_steps = 64;

/// The light within equal radius steps from a position.
struct Growth {
  std::array<double, growth_steps> light{};
  std::int16_t flags = 0;
};

template <class T>
Growth light_in_steps(const SepImage& image, const T* pixels, double x, double y, double reach, std::int64_t segment,
                      std::int64_t sub_pixels) {
  Growth growth;
  std::array<double, growth_steps> area{}, masked_area{};
  constexpr double beyond_reach = 1.5;  // SExtractor's margin, which determines the flags
  const SepBox box = sep_box(x, y, reach + beyond_reach, reach + beyond_reach, image.shape);
  if (box.cut) growth.flags |= cut_off;
  const double step = reach / growth_steps, limit = (reach + beyond_reach) * (reach + beyond_reach);
  const double side = 1.0 / static_cast<double>(sub_pixels), first = 0.5 * (side - 1);
  for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
    before_row(box.x_end - box.x_begin);
    for (std::int64_t column = box.x_begin; column < box.x_end; ++column) {
      const double dx = static_cast<double>(column) - x, dy = static_cast<double>(row) - y;
      const double square = dx * dx + dy * dy;
      if (!(square < limit)) continue;
      const std::int64_t i = row * image.shape.width + column;
      const bool masked = image.is_masked(i) || is_of_another(image, i, segment);
      if (masked) growth.flags |= has_masked;
      const double value = masked ? 0 : static_cast<double>(pixels[i]);
      const auto add = [&](double distance, double part) {
        const double ring = distance / step;
        if (!(ring < growth_steps)) return;
        const auto k = static_cast<std::size_t>(ring);
        growth.light[k] += part * value;
        area[k] += part;
        if (masked) masked_area[k] += part;
      };
      const double distance = std::sqrt(square), beyond = std::fmod(distance, step);
      if (beyond >= pixel_reach && beyond <= step - pixel_reach) {
        add(distance, 1);
        continue;
      }
      double v = dy + first;
      for (std::int64_t j = 0; j < sub_pixels; ++j, v += side) {
        double u = dx + first;
        for (std::int64_t k = 0; k < sub_pixels; ++k, u += side) add(std::sqrt(u * u + v * v), side * side);
      }
    }
  }
  double inside = 0;
  for (std::size_t k = 0; k < growth_steps; ++k) {
    if (image.mask && masked_area[k] > 0) growth.light[k] *= area[k] / (area[k] - masked_area[k]);
    inside += std::isfinite(growth.light[k]) ? growth.light[k] : 0;
    growth.light[k] = inside;
  }
  return growth;
}

/// The radius that contains the light `wanted`.
double radius_of(const Growth& growth, double wanted, double reach) {
  const double step = reach / growth_steps;
  double before = 0;
  for (std::size_t k = 0; k < growth_steps; ++k) {
    const double here = growth.light[k];
    if (!(here < wanted)) {                // also for NaN, which is then the result
      if (k == 0 && wanted < 0) return 0;  // as in SEP
      return step * (static_cast<double>(k) + (here != before ? (wanted - before) / (here - before) : 0));
    }
    before = here;
  }
  return reach;
}

void flux_radii(const AnyArray& data, const OptionalArray& mask, double mask_threshold, const OptionalArray& segments,
                const std::optional<Values<std::int64_t>>& segment, const Values<double>& x, const Values<double>& y,
                const Values<double>& reach, const OptionalValues& norm, const Values<double>& fractions,
                std::int64_t sub_pixels, const Results<double>& radius, const Results<std::int16_t>& flags,
                int threads) {
  SepImage image = sep_image(data, mask, mask_threshold);
  if (segments) image.segments = static_cast<const std::int32_t*>(segments->data());
  const auto segment_of = span_of(segment);
  const auto norm_of = span_of(norm), wanted = span_of(fractions);
  const double furthest = largest_of(span_of(reach));
  for_each_aperture(image, span_of(x), span_of(y), furthest, threads, [&](const auto* pixels) {
    return [&, pixels](std::int64_t i) {
      const auto at = static_cast<std::size_t>(i);
      const Growth growth = light_in_steps(image, pixels, x.data()[i], y.data()[i], reach.data()[i],
                                           segment_of.empty() ? 0 : segment_of[at], sub_pixels);
      const double all = norm_of.empty() ? growth.light.back() : norm_of[at];
      for (std::size_t k = 0; k < wanted.size(); ++k)
        radius.data()[at * wanted.size() + k] = radius_of(growth, wanted[k] * all, reach.data()[i]);
      flags.data()[i] = growth.flags;
    };
  });
}

/// Windowed position: moves a Gaussian window to the centroid of its light.
template <class T>
std::int16_t windowed_position(const SepImage& image, const T* pixels, double& x, double& y, double sigma,
                               std::int64_t sub_pixels) {
  constexpr int most_rounds = 16;
  constexpr double at_rest = 1e-8;  // for the squared step
  std::int16_t flags = 0;
  const EllipseForm circle;
  const SepAnnulus window(circle, -1, 4 * sigma, sub_pixels);
  for (int round = 0; round < most_rounds; ++round) {
    const SepBox box = sep_box(x, y, 4 * sigma, 4 * sigma, image.shape);
    if (box.cut) flags |= cut_off;
    double light = 0, moment_x = 0, moment_y = 0;
    double all = 0, area = 0, masked = 0, masked_x = 0, masked_y = 0;
    for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
      before_row(box.x_end - box.x_begin);
      for (std::int64_t column = box.x_begin; column < box.x_end; ++column) {
        const double dx = static_cast<double>(column) - x, dy = static_cast<double>(row) - y;
        const double part = window.part(dx, dy);
        if (part < 0) continue;
        const std::int64_t i = row * image.shape.width + column;
        const double weight = part * std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
        if (image.is_masked(i)) {
          masked += weight;
          masked_x += weight * dx;
          masked_y += weight * dy;
          flags |= has_masked;
          continue;
        }
        const auto value = static_cast<double>(pixels[i]);
        all += part * value;
        area += part;
        light += weight * value;
        moment_x += weight * value * dx;
        moment_y += weight * value * dy;
      }
    }
    if (area > 0) {  // masked pixels get the mean of the rest of the aperture
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

void windowed_positions(const AnyArray& data, const OptionalArray& mask, double mask_threshold,
                        const Results<double>& x, const Results<double>& y, const Values<double>& sigma,
                        std::int64_t sub_pixels, const Results<std::int16_t>& flags, int threads) {
  const SepImage image = sep_image(data, mask, mask_threshold);
  const double furthest = 16 * largest_of(span_of(sigma));  // the window's reach, times its maximum number of rounds
  for_each_aperture(image, {x.data(), x.shape(0)}, {y.data(), y.shape(0)}, furthest, threads, [&](const auto* pixels) {
    return [&, pixels](std::int64_t i) {
      flags.data()[i] = windowed_position(image, pixels, x.data()[i], y.data()[i], sigma.data()[i], sub_pixels);
    };
  });
}

void mask_ellipses(const Results<std::uint8_t>& to, std::int64_t width, std::int64_t height, const Values<double>& x,
                   const Values<double>& y, const Values<double>& cxx, const Values<double>& cyy,
                   const Values<double>& cxy, const Values<double>& r) {
  const auto fill = [&](std::int64_t k) {
    EllipseForm form;
    form.circle = false;
    form.cxx = cxx.data()[k];
    form.cyy = cyy.data()[k];
    form.cxy = cxy.data()[k];
    const double determinant = form.cxx * form.cyy - form.cxy * form.cxy / 4;
    form.reach_x = std::sqrt(form.cyy / determinant);
    form.reach_y = std::sqrt(form.cxx / determinant);
    const double size = r.data()[k];
    const SepBox box = sep_box(x.data()[k], y.data()[k], size * form.reach_x, size * form.reach_y, {width, height});
    for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
      before_row(box.x_end - box.x_begin);
      for (std::int64_t column = box.x_begin; column < box.x_end; ++column)
        if (form.square(static_cast<double>(column) - x.data()[k], static_cast<double>(row) - y.data()[k]) <
            size * size)
          to.data()[row * width + column] = 1;
    }
  };
  constexpr std::int64_t ellipses_per_piece = 16;
  do_watchfully([&] {
    parallel_for(static_cast<std::int64_t>(x.shape(0)), ellipses_per_piece, Cpu{1},
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t k = begin; k < end; ++k) fill(k);
                 });
  });
}

}  // namespace

void bind_sep_profiles(nb::module_& module) {
  module.def("sep_kron_radii", &kron_radii, nb::arg("data"), nb::arg("mask").none(), nb::arg("mask_threshold"),
             nb::arg("segments").none(), nb::arg("segment").none(), nb::arg("x"), nb::arg("y"), nb::arg("a"),
             nb::arg("b"), nb::arg("theta"), nb::arg("r"), nb::arg("radius"), nb::arg("flags"), nb::arg("threads"));
  module.def("sep_flux_radii", &flux_radii, nb::arg("data"), nb::arg("mask").none(), nb::arg("mask_threshold"),
             nb::arg("segments").none(), nb::arg("segment").none(), nb::arg("x"), nb::arg("y"), nb::arg("reach"),
             nb::arg("norm").none(), nb::arg("fractions"), nb::arg("sub_pixels"), nb::arg("radius"), nb::arg("flags"),
             nb::arg("threads"));
  module.def("sep_windowed_positions", &windowed_positions, nb::arg("data"), nb::arg("mask").none(),
             nb::arg("mask_threshold"), nb::arg("x"), nb::arg("y"), nb::arg("sigma"), nb::arg("sub_pixels"),
             nb::arg("flags"), nb::arg("threads"));
  module.def("sep_mask_ellipses", &mask_ellipses, nb::arg("to"), nb::arg("width"), nb::arg("height"), nb::arg("x"),
             nb::arg("y"), nb::arg("cxx"), nb::arg("cyy"), nb::arg("cxy"), nb::arg("r"));
}

}  // namespace srcextract::python
