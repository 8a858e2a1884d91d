#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

#include "python/core/sep/each_aperture.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "python/core/sep/sums.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

/// The sums of an aperture.
struct ApertureSums {
  double light = 0, variance = 0;
  double area = 0, masked_area = 0;
  std::int16_t flags = 0;
};

/// Sums one aperture after the other.
template <class T>
class ApertureSummer {
 public:
  ApertureSummer(const SepImage& image, const T* pixels)
      : image_(image), pixels_(pixels), plain_(!image.mask && !image.noise && image.segments == nullptr) {}

  ApertureSums sum(const SepAnnulus& annulus, std::int64_t source) const {
    ApertureSums sums;
    const SepEllipse& at = annulus.ellipse;
    const SepBox box = at.box(annulus.outer, image_.shape);
    if (box.cut) sums.flags |= cut_off;
    if (plain_ && !annulus.is_ring() && annulus.sub_pixels > 0) {
      if (!box.empty()) sum_plain(box, annulus, sums);
    } else {
      const EllipseRows rows(at);
      box.for_each_row(
          [&](std::int64_t row) { add_pixels(row, rows.about(row, annulus.outer_out, box), annulus, source, sums); });
    }
    if (plain_) sums.variance = sums.area * image_.variance(0);
    return sums;
  }

 private:
  void sum_plain(const SepBox& box, const SepAnnulus& annulus, ApertureSums& sums) const {
    const auto pixels = BoxPixels<T>::of(pixels_, image_.shape, box);
    // sum_whole() cannot serve small apertures, where part() always counts the pixel that contains the centre.
    const bool whole = annulus.sub_pixels == 1 && annulus.outer_in > 0;
    const EllipseSums found =
        whole ? pixels.sum_whole(box, annulus.ellipse, annulus.outer * annulus.outer) : pixels.sum_parts(box, annulus);
    sums.light = found.light;
    sums.area = found.area;
  }

  /// Adds the pixels of a stretch of a row one by one; neighbouring pixels that lie wholly inside are summed together.
  /// So a ring and an aperture of the same pixels have bitwise equal sums.
  void add_pixels(std::int64_t row, const SepStretch& stretch, const SepAnnulus& annulus, std::int64_t source,
                  ApertureSums& sums) const {
    const double dy = static_cast<double>(row) - annulus.ellipse.y;
    const std::int64_t first = row * image_.shape.width;
    std::int64_t whole = 0;  // number of whole pixels before `column`
    const auto add_whole = [&](std::int64_t column) {
      if (whole == 0) return;
      sums.light += BoxPixels<T>::sum_stretch(pixels_ + first + column - whole, whole);
      sums.area += static_cast<double>(whole);
      whole = 0;
    };
    for (std::int64_t column = stretch.begin; column < stretch.end; ++column) {
      const double part = annulus.part(static_cast<double>(column) - annulus.ellipse.x, dy);
      if (plain_ && part == 1) {
        ++whole;
        continue;
      }
      add_whole(column);
      if (part >= 0) add(first + column, part, source, sums);
    }
    add_whole(stretch.end);
  }

  void add(std::int64_t i, double part, std::int64_t source, ApertureSums& sums) const {
    sums.area += part;
    if (!plain_ && image_.hides(i, source)) {
      sums.masked_area += part;
      sums.flags |= has_masked;
      return;
    }
    sums.light += part * static_cast<double>(pixels_[i]);
    if (!plain_) sums.variance += part * image_.variance(i);
  }

  const SepImage& image_;
  const T* pixels_;
  bool plain_;
};

/// Positions and sizes of apertures; each member has a value for every aperture.
struct Apertures {
  const Values<double>&x, &y;
  const Columns& axes;   ///< a, b and theta of ellipses; none for circles
  const Columns& inner;  ///< none for apertures without a hole
  const Values<double>& outer;
  const Columns& sky;  ///< inner and outer radius of the rings for the sky; empty: none
  double gain;
  std::int64_t sub_pixels;

  /// Upper limit of the apertures' radii, in pixels.
  double reach() const {
    const double axis = axes.empty() ? 1 : std::max(largest_of(axes[0]), largest_of(axes[1]));
    return axis * std::max(largest_of(outer), sky.empty() ? 0 : largest_of(sky[1]));
  }

  SepEllipse ellipse(std::size_t i) const {
    if (axes.empty()) return {x.data()[i], y.data()[i]};
    return SepEllipse::of_axes(x.data()[i], y.data()[i], axes[0].data()[i], axes[1].data()[i], axes[2].data()[i]);
  }
};

/// Sums aperture `i` into `light`, `error` and `flags`. Returns false if its sky ring has no pixels.
template <class T>
bool sum_one(const SepImage& image, const T* pixels, const Apertures& all, std::size_t i, double& light, double& error,
             std::int16_t& flags) {
  const ApertureSummer<T> summer(image, pixels);
  const SepEllipse ellipse = all.ellipse(i);
  const std::int64_t source = image.source_at(i);
  // As in SEP, masked pixels are made up for only if there is a mask, not for pixels of other sources.
  const bool corrects = static_cast<bool>(image.mask);
  const double inner = all.inner.empty() ? -1 : all.inner[0].data()[i];
  ApertureSums sums = summer.sum({ellipse, inner, all.outer.data()[i], all.sub_pixels}, source);
  if (corrects) {
    const double scale = sums.area / (sums.area - sums.masked_area);
    sums.light *= scale;
    sums.variance *= scale;
  }
  const auto variance_of = [&](const ApertureSums& of) {
    return of.variance + (all.gain > 0 && of.light > 0 ? of.light / all.gain : 0);
  };
  light = sums.light;
  double variance = variance_of(sums);
  flags = sums.flags;
  if (!all.sky.empty()) {
    const std::int64_t sub_pixels = ellipse.circle ? 1 : all.sub_pixels;
    const ApertureSums sky = summer.sum({ellipse, all.sky[0].data()[i], all.sky[1].data()[i], sub_pixels}, source);
    const double area = sky.area - (corrects ? sky.masked_area : 0);
    // As in SEP, a fully masked ring around an ellipse is not reported.
    if (!((ellipse.circle ? area : sky.area) > 0)) return false;
    if (sums.area > 0) {
      light -= sky.light / area * sums.area;
      // For a ring around an ellipse, SEP's noise includes the correction for masked pixels.
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
  for_each_aperture(image, x, y, all.reach(), threads, [&](const auto* pixels, std::size_t i) {
    if (sum_one(image, pixels, all, i, light.data()[i], error.data()[i], flags.data()[i])) return;
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
