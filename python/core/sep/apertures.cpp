#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "python/core/sep/aperture_rows.hpp"
#include "python/core/sep/each_aperture.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// Positions and sizes of apertures, with one element per aperture.
struct Apertures {
  const Values<double>&x, &y;
  const Columns& axes;   ///< a, b and theta of ellipses; empty: circles
  const Columns& inner;  ///< inner sizes of rings; empty: apertures without a hole
  const Values<double>& outer;
  const Columns& sky;  ///< inner and outer sizes of the rings in which the sky is measured; empty: no rings
  double gain;
  std::int64_t sub_pixels;

  /// Upper limit of the apertures' radii, rings included, in pixels.
  double reach() const {
    const double axis = axes.empty() ? 1 : std::max(largest_of(axes[0]), largest_of(axes[1]));
    return axis * std::max(largest_of(outer), sky.empty() ? 0 : largest_of(sky[1]));
  }

  SepEllipse ellipse(std::size_t i) const {
    if (axes.empty()) return {x.data()[i], y.data()[i]};
    return SepEllipse::of_axes(x.data()[i], y.data()[i], axes[0].data()[i], axes[1].data()[i], axes[2].data()[i]);
  }
};

/// Measures aperture i: sets `light`, `error` and `flags`. Returns false, without setting `error`, if the sky ring has
/// no pixels or, around a circle, only masked pixels.
bool sum_one(const SepImage& image, ApertureRows& rows, const Apertures& all, std::size_t i, double& light,
             double& error, std::int16_t& flags) {
  const SepEllipse ellipse = all.ellipse(i);
  const std::int64_t source = image.source_at(i);
  // As in SEP, the light of hidden pixels is extrapolated if the image has a mask. Without a mask, the light of pixels
  // of other sources is not extrapolated. Without a segmentation map, hidden pixels are NaN, which count as masked.
  const bool corrects = image.mask || image.segments == nullptr;
  const auto sum = [&](double inner, double outer, std::int64_t sub_pixels, const SepBox& box) {
    return rows.sum({ellipse, inner, outer, sub_pixels}, box, source);
  };
  const SepBox box = ellipse.box(all.outer.data()[i], image.shape);
  ApertureSums sums = sum(all.inner.empty() ? -1 : all.inner[0].data()[i], all.outer.data()[i], all.sub_pixels, box);
  if (image.mask || (corrects && sums.masked_area > 0)) {
    const double scale = sums.area / (sums.area - sums.masked_area);
    sums.light *= scale;
    sums.variance *= scale;
  }
  const auto variance_of = [&](const ApertureSums& of) {
    return of.variance + (all.gain > 0 && of.light > 0 ? of.light / all.gain : 0);
  };
  light = sums.light;
  double variance = variance_of(sums);
  flags = static_cast<std::int16_t>((box.cut ? cut_off : 0) | (sums.has_masked ? has_masked : 0));
  if (!all.sky.empty()) {
    const std::int64_t sub_pixels = ellipse.circle ? 1 : all.sub_pixels;
    const double outer = all.sky[1].data()[i];
    const ApertureSums sky = sum(all.sky[0].data()[i], outer, sub_pixels, ellipse.box(outer, image.shape));
    const double area = sky.area - (corrects ? sky.masked_area : 0);
    // As in SEP, an ellipse with a fully masked sky ring is no error.
    if (!((ellipse.circle ? area : sky.area) > 0)) return false;
    if (sums.area > 0) {
      light -= sky.light / area * sums.area;
      // For a ring around an ellipse, SEP divides by the product of the ring's areas with and without masked pixels.
      const double of_noise = ellipse.circle ? area * area : area * sky.area;
      variance += variance_of(sky) / of_noise * (sums.area * sums.area);
    }
  }
  error = std::sqrt(variance);
  return true;
}

void sum_apertures(const SepImage& image, const Values<double>& x, const Values<double>& y, const Columns& axes,
                   const Columns& inner, const Values<double>& outer, const Columns& sky, double gain,
                   std::int64_t sub_pixels, const Results<double>& light, const Results<double>& error,
                   const Results<std::int16_t>& flags, int threads) {
  const Apertures all{
      .x = x, .y = y, .axes = axes, .inner = inner, .outer = outer, .sky = sky, .gain = gain, .sub_pixels = sub_pixels};
  std::atomic<std::size_t> without_sky = std::numeric_limits<std::size_t>::max();
  for_each_aperture<ApertureRows>(image, x, y, all.reach(), threads, [&](ApertureRows& rows, std::size_t i) {
    if (sum_one(image, rows, all, i, light.data()[i], error.data()[i], flags.data()[i])) return;
    std::size_t first = without_sky;
    while (i < first && !without_sky.compare_exchange_weak(first, i)) continue;
  });
  if (without_sky != std::numeric_limits<std::size_t>::max())
    throw Error(ErrorKind::input, "The background annulus does not contain any valid pixels, for the object at index " +
                                      std::to_string(without_sky) + ": widen bkgann, or leave that one out");
}

}  // namespace

void bind_sep_apertures(nb::module_& module) {
  nb::class_<SepImage>(module, "SepImage")
      .def(nb::init<AnyArray, OptionalArray, OptionalArray, OptionalArray, std::optional<Values<std::int64_t>>, double,
                    double, bool>(),
           nb::arg("data"), nb::arg("mask").none(), nb::arg("noise").none(), nb::arg("segments").none(),
           nb::arg("sources").none(), nb::arg("mask_threshold"), nb::arg("noise_of_all"), nb::arg("noise_is_variance"));
  module.def("sep_sum_apertures", &sum_apertures);
}

}  // namespace srcextract::python
