#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/image.hpp"
#include "stages/core/stop.hpp"

// Images that srcextract.sep passes: NumPy arrays in C order and native byte order, used without copying.

namespace srcextract::python {

using AnyArray = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;
using OptionalArray = std::optional<AnyArray>;
template <class T>
using Values = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Results = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// A few arrays of the same length; may be empty.
using Columns = std::vector<Values<double>>;

template <class T>
std::span<T> span_of(const nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>& values) {
  return {values.data(), values.shape(0)};
}

inline Shape shape_of(const AnyArray& array) {
  return {static_cast<std::int64_t>(array.shape(1)), static_cast<std::int64_t>(array.shape(0))};
}

/// Pixel types that are read without conversion.
enum class PixelType : std::uint8_t { float32, float64, int32, byte };

/// The pixels of a two-dimensional array, or no array. Does not own the array.
struct SepPlane {
  const void* first = nullptr;
  PixelType type = PixelType::float32;

  SepPlane() = default;
  explicit SepPlane(const AnyArray& array) : first(array.data()) {
    const auto is = [of = array.dtype()]<class T>(T) { return of == nanobind::dtype<T>(); };
    if (is(0.0)) {
      type = PixelType::float64;
    } else if (is(std::int32_t{})) {
      type = PixelType::int32;
    } else if (is(std::uint8_t{}) || is(false)) {
      type = PixelType::byte;
    } else if (!is(0.0F)) {
      throw Error(ErrorKind::internal, "an array of another type came from srcextract.sep");
    }
  }
  explicit SepPlane(const OptionalArray& array) : SepPlane(array ? SepPlane(*array) : SepPlane()) {}

  explicit operator bool() const { return first != nullptr; }

  /// The pixels if their type is float32, else null.
  const float* floats() const { return type == PixelType::float32 ? static_cast<const float*>(first) : nullptr; }

  /// Calls f with a pointer to the pixels in their own type.
  template <class F>
  auto with_type(const F& f) const {
    switch (type) {
      case PixelType::float32:
        return f(static_cast<const float*>(first));
      case PixelType::float64:
        return f(static_cast<const double*>(first));
      case PixelType::int32:
        return f(static_cast<const std::int32_t*>(first));
      case PixelType::byte:
        break;
    }
    return f(static_cast<const std::uint8_t*>(first));
  }

  std::int64_t pixel_size() const {
    return with_type([](const auto* pixels) { return static_cast<std::int64_t>(sizeof(*pixels)); });
  }

  double at(std::int64_t i) const {
    return with_type([i](const auto* pixels) { return static_cast<double>(pixels[i]); });
  }
};

/// Converts pixels to float.
template <class T>
void to_float(const T* pixels, std::int64_t count, float* out) {
  if constexpr (std::is_same_v<T, float>) {
    std::copy_n(pixels, count, out);
  } else {
    std::transform(pixels, pixels + count, out, [](T pixel) { return static_cast<float>(pixel); });
  }
}

/// An image with maps. srcextract.sep has checked the arguments.
struct SepImage {
  AnyArray data;
  OptionalArray masks, noises, labels;
  std::optional<Values<std::int64_t>> sources;  ///< number of the source that each aperture belongs to; empty: 0

  double mask_threshold;
  double noise_of_all;
  bool noise_is_variance;
  Shape shape = shape_of(data);
  SepPlane pixels = SepPlane(data);
  SepPlane mask = SepPlane(masks);    ///< the pixel is masked if this exceeds mask_threshold
  SepPlane noise = SepPlane(noises);  ///< noise of each pixel; if there is no array, noise_of_all applies to all pixels
  /// The source number of each pixel, 0: no source. Null: no segmentation map.
  const std::int32_t* segments = labels ? static_cast<const std::int32_t*>(labels->data()) : nullptr;

  bool is_masked(std::int64_t i) const { return mask && mask.at(i) > mask_threshold; }

  double variance(std::int64_t i) const { return variance_of(noise ? noise.at(i) : noise_of_all); }
  double variance_of(double given) const { return noise_is_variance ? given : given * given; }

  std::int64_t source_at(std::size_t position) const { return sources ? sources->data()[position] : 0; }
};

/// Flags of apertures, with SEP's values.
inline constexpr std::int16_t cut_off = 0x10, has_masked = 0x20, all_masked = 0x40, not_positive = 0x80;

void bind_sep_annulus_stats(nanobind::module_& module);
void bind_sep_apertures(nanobind::module_& module);
void bind_sep_ellipses(nanobind::module_& module);
void bind_sep_profiles(nanobind::module_& module);
void bind_sep_radii(nanobind::module_& module);
void bind_sep_background(nanobind::module_& module);
void bind_sep_extract(nanobind::module_& module);

}  // namespace srcextract::python
