#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "python/core/sep/each_aperture.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "python/core/sep/sums.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract::python {
namespace nb = nanobind;

SepImage sep_image(const AnyArray& data, const std::optional<AnyArray>& mask, double mask_threshold) {
  SepImage image;
  image.shape = shape_of(data);
  image.pixels = plane_of(data);
  image.mask = plane_of(mask);
  image.mask_threshold = mask_threshold;
  return image;
}

namespace {

/// Number of partial sums of a stretch of pixels; pixel i is in sum i mod lanes.
constexpr int lanes = 16;

template <class T>
inline double add_up(const T* pixels, std::int64_t count) {
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (int k = 0; k < lanes; ++k) sums[k] += static_cast<double>(pixels[i + k]);
  for (int k = 0; i + k < count; ++k) sums[k] += static_cast<double>(pixels[i + k]);
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  return sums[0];
}

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN double sum_stretch(const float* pixels, std::int64_t count) {
  return add_up(pixels, count);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN double sum_stretch(const double* pixels, std::int64_t count) {
  return add_up(pixels, count);
}
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN double sum_stretch(const std::int32_t* pixels, std::int64_t count) {
  return add_up(pixels, count);
}
double sum_stretch(const std::uint8_t* pixels, std::int64_t count) {
  return add_up(pixels, count);
}

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

  /// As in SEP, pixels are only corrected for if there is a mask, not for other sources alone.
  bool corrects() const { return static_cast<bool>(image_.mask); }

  ApertureSums sum(double x, double y, const EllipseForm& form, const SepAnnulus& annulus, std::int64_t segment) const {
    ApertureSums sums;
    const double r = annulus.outer();
    const SepBox box = sep_box(x, y, r * form.reach_x, r * form.reach_y, image_.shape);
    if (box.cut) sums.flags |= cut_off;
    if (plain_ && !annulus.is_ring() && annulus.sub_pixels() > 0) {
      sum_plain(box, {x, y, form}, annulus, sums);
    } else {
      const EllipseRows rows(form, x, y);
      for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
        before_row(box.x_end - box.x_begin);
        add_pixels(x, row, static_cast<double>(row) - y, rows.about(row, annulus.outer_out(), box), annulus, segment,
                   sums);
      }
    }
    if (plain_) sums.variance = sums.area * image_.variance(0);
    return sums;
  }

 private:
  void sum_plain(const SepBox& box, const SepEllipse& at, const SepAnnulus& annulus, ApertureSums& sums) const {
    if (box.x_begin >= box.x_end || box.y_begin >= box.y_end) return;
    const std::int64_t width = image_.shape.width;
    const BoxPixels<T> pixels{pixels_ + box.y_begin * width + box.x_begin, width, pixels_ + image_.shape.count()};
    // In a small aperture, part() counts the pixel that contains the centre, whatever its size.
    if (annulus.sub_pixels() == 1 && annulus.outer_in() > 0) {
      const EllipseSums whole = pixels.sum_whole(box, at, annulus.outer() * annulus.outer());
      sums.light = whole.light;
      sums.area = static_cast<double>(whole.count);
    } else {
      const PartSums parts = pixels.sum_parts(box, at, annulus);
      sums.light = parts.light;
      sums.area = parts.area;
    }
  }

  void add_whole(std::int64_t row, const SepStretch& stretch, ApertureSums& sums) const {
    sums.light += sum_stretch(pixels_ + row * image_.shape.width + stretch.begin, stretch.end - stretch.begin);
    sums.area += static_cast<double>(stretch.end - stretch.begin);
  }

  /// Adds the pixels of a stretch one by one, except for neighbouring whole pixels, which are added together. So a ring
  /// and an aperture of the same pixels have bitwise equal sums.
  void add_pixels(double x, std::int64_t row, double dy, const SepStretch& stretch, const SepAnnulus& annulus,
                  std::int64_t segment, ApertureSums& sums) const {
    std::int64_t whole = 0;  // number of whole pixels before `column`
    for (std::int64_t column = stretch.begin; column < stretch.end; ++column) {
      const double part = annulus.part(static_cast<double>(column) - x, dy);
      if (plain_ && part == 1) {
        ++whole;
        continue;
      }
      if (whole > 0) add_whole(row, {column - whole, column}, sums);
      whole = 0;
      add(column, row, part, segment, sums);
    }
    if (whole > 0) add_whole(row, {stretch.end - whole, stretch.end}, sums);
  }

  /// Adds a pixel; a negative `part` means outside.
  void add(std::int64_t x, std::int64_t y, double part, std::int64_t segment, ApertureSums& sums) const {
    if (part < 0) return;
    const std::int64_t i = y * image_.shape.width + x;
    if (plain_) {
      sums.light += part * static_cast<double>(pixels_[i]);
      sums.area += part;
      return;
    }
    sums.area += part;
    if (image_.is_masked(i) || is_of_another(image_, i, segment)) {
      sums.masked_area += part;
      sums.flags |= has_masked;
      return;
    }
    sums.light += part * static_cast<double>(pixels_[i]);
    sums.variance += part * image_.variance(i);
  }

  const SepImage& image_;
  const T* pixels_;
  bool plain_;
};

/// Positions and sizes of apertures, one value for each.
struct Apertures {
  std::span<const double> x, y;
  std::span<const double> a, b, theta;  ///< empty: circles
  std::span<const double> inner, outer;
  std::span<const double> sky_inner, sky_outer;  ///< empty: none
  std::span<const std::int64_t> segment;         ///< empty: none
  double gain = 0;
  std::int64_t sub_pixels = 5;

  /// Upper limit of the apertures' radii, in pixels.
  double reach() const {
    const double axis = a.empty() ? 1 : std::max(largest_of(a), largest_of(b));
    return axis * std::max(largest_of(outer), largest_of(sky_outer));
  }

  EllipseForm form(std::size_t i) const {
    return a.empty() ? EllipseForm{} : EllipseForm::of_axes(a[i], b[i], theta[i]);
  }
};

/// Returns false if a sky ring has no pixels.
template <class T>
bool sum_one(const ApertureSummer<T>& summer, const Apertures& all, std::size_t i, double& light, double& error,
             std::int16_t& flags) {
  const EllipseForm form = all.form(i);
  const std::int64_t segment = all.segment.empty() ? 0 : all.segment[i];
  const double inner = all.inner.empty() ? -1 : all.inner[i];
  const SepAnnulus annulus(form, inner, all.outer[i], all.sub_pixels);
  ApertureSums sums = summer.sum(all.x[i], all.y[i], form, annulus, segment);
  if (summer.corrects()) {
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
  if (!all.sky_inner.empty()) {
    const SepAnnulus ring(form, all.sky_inner[i], all.sky_outer[i], form.circle ? 1 : all.sub_pixels);
    const ApertureSums sky = summer.sum(all.x[i], all.y[i], form, ring, segment);
    const double area = sky.area - (summer.corrects() ? sky.masked_area : 0);
    // SEP does not report a fully masked ring around an ellipse, and goes on.
    if (!((form.circle ? area : sky.area) > 0)) return false;
    if (sums.area > 0) {
      light -= sky.light / area * sums.area;
      // For a ring around an ellipse, SEP's noise includes the correction for masked pixels.
      const double of_noise = form.circle ? area * area : area * sky.area;
      variance += variance_of(sky) / of_noise * (sums.area * sums.area);
    }
  }
  error = std::sqrt(variance);
  return true;
}

void sum_apertures(const AnyArray& data, const OptionalArray& noise, double noise_of_all, bool noise_is_variance,
                   const OptionalArray& mask, double mask_threshold, const OptionalArray& segments,
                   const std::optional<Values<std::int64_t>>& segment, const Values<double>& x, const Values<double>& y,
                   const OptionalValues& a, const OptionalValues& b, const OptionalValues& theta,
                   const OptionalValues& inner, const Values<double>& outer, const OptionalValues& sky_inner,
                   const OptionalValues& sky_outer, double gain, std::int64_t sub_pixels, const Results<double>& light,
                   const Results<double>& error, const Results<std::int16_t>& flags, int threads) {
  SepImage image = sep_image(data, mask, mask_threshold);
  image.noise = plane_of(noise);
  image.noise_of_all = noise_of_all;
  image.noise_is_variance = noise_is_variance;
  if (segments) image.segments = static_cast<const std::int32_t*>(segments->data());
  const Apertures all{span_of(x),         span_of(y),       span_of(a),     span_of(b),
                      span_of(theta),     span_of(inner),   span_of(outer), span_of(sky_inner),
                      span_of(sky_outer), span_of(segment), gain,           sub_pixels};
  std::atomic<std::int64_t> without_sky = std::numeric_limits<std::int64_t>::max();
  for_each_aperture(image, all.x, all.y, all.reach(), threads, [&](const auto* pixels) {
    return [&, summer = ApertureSummer(image, pixels)](std::int64_t i) {
      if (sum_one(summer, all, static_cast<std::size_t>(i), light.data()[i], error.data()[i], flags.data()[i])) return;
      std::int64_t first = without_sky;
      while (i < first && !without_sky.compare_exchange_weak(first, i)) continue;
    };
  });
  if (without_sky != std::numeric_limits<std::int64_t>::max())
    throw Error(ErrorKind::input, "The background annulus does not contain any valid pixels, for the object at index " +
                                      std::to_string(without_sky) + ": widen bkgann, or leave that one out");
}

}  // namespace

void bind_sep_apertures(nb::module_& module) {
  module.def("sep_sum_apertures", &sum_apertures, nb::arg("data"), nb::arg("noise").none(), nb::arg("noise_of_all"),
             nb::arg("noise_is_variance"), nb::arg("mask").none(), nb::arg("mask_threshold"),
             nb::arg("segments").none(), nb::arg("segment").none(), nb::arg("x"), nb::arg("y"), nb::arg("a").none(),
             nb::arg("b").none(), nb::arg("theta").none(), nb::arg("inner").none(), nb::arg("outer"),
             nb::arg("sky_inner").none(), nb::arg("sky_outer").none(), nb::arg("gain"), nb::arg("sub_pixels"),
             nb::arg("light"), nb::arg("error"), nb::arg("flags"), nb::arg("threads"));
}

}  // namespace srcextract::python
