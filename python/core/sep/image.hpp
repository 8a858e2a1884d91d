#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "python/core/interrupt.hpp"
#include "python/core/view_of.hpp"
#include "stages/core/error.hpp"
#include "stages/core/image.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/stop.hpp"

// Images passed by srcextract.sep: NumPy arrays in C order and native byte order, used in place.

namespace srcextract::python {

using AnyArray = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Values = nanobind::ndarray<const T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Results = nanobind::ndarray<T, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

/// Pixel types that are read without conversion.
enum class PixelType : std::uint8_t { float32, float64, int32, byte };

/// Pixels, or none.
struct SepPlane {
  const void* first = nullptr;
  PixelType type = PixelType::float32;

  explicit operator bool() const { return first != nullptr; }

  /// Null if the pixels are not float.
  const float* floats() const { return type == PixelType::float32 ? static_cast<const float*>(first) : nullptr; }

  double at(std::int64_t i) const {
    switch (type) {
      case PixelType::float32:
        return static_cast<double>(static_cast<const float*>(first)[i]);
      case PixelType::float64:
        return static_cast<const double*>(first)[i];
      case PixelType::int32:
        return static_cast<double>(static_cast<const std::int32_t*>(first)[i]);
      case PixelType::byte:
        break;
    }
    return static_cast<double>(static_cast<const std::uint8_t*>(first)[i]);
  }

  /// Calls f(pointer to the pixels).
  template <class F>
  void with_type(const F& f) const {
    switch (type) {
      case PixelType::float32:
        return f(static_cast<const float*>(first));
      case PixelType::float64:
        return f(static_cast<const double*>(first));
      case PixelType::int32:
        return f(static_cast<const std::int32_t*>(first));
      case PixelType::byte:
        return f(static_cast<const std::uint8_t*>(first));
    }
  }
};

inline SepPlane plane_of(const AnyArray& array) {
  const auto type = array.dtype();
  if (type == nanobind::dtype<float>()) return {array.data(), PixelType::float32};
  if (type == nanobind::dtype<double>()) return {array.data(), PixelType::float64};
  if (type == nanobind::dtype<std::int32_t>()) return {array.data(), PixelType::int32};
  if (type == nanobind::dtype<std::uint8_t>() || type == nanobind::dtype<bool>())
    return {array.data(), PixelType::byte};
  throw Error(ErrorKind::internal, "an array of another type came from srcextract.sep");
}
inline SepPlane plane_of(const std::optional<AnyArray>& array) {
  return array ? plane_of(*array) : SepPlane{};
}

inline Shape shape_of(const AnyArray& array) {
  return {static_cast<std::int64_t>(array.shape(1)), static_cast<std::int64_t>(array.shape(0))};
}

/// Converts pixels to float.
template <class T>
void to_float(const T* pixels, std::int64_t count, float* out) {
  if constexpr (std::is_same_v<T, float>) {
    std::copy_n(pixels, count, out);
  } else {
    std::transform(pixels, pixels + count, out, [](T pixel) { return static_cast<float>(pixel); });
  }
}

/// An image with its maps.
struct SepImage {
  Shape shape;
  SepPlane pixels;
  SepPlane mask;  ///< above mask_threshold: the pixel is masked
  double mask_threshold = 0;
  SepPlane noise;  ///< of each pixel; without it noise_of_all applies to all
  double noise_of_all = 0;
  bool noise_is_variance = false;
  const std::int32_t* segments = nullptr;  ///< the source of each pixel, 0: none

  bool is_masked(std::int64_t i) const { return mask && mask.at(i) > mask_threshold; }

  double variance(std::int64_t i) const {
    const double value = noise ? noise.at(i) : noise_of_all;
    return noise_is_variance ? value : value * value;
  }
};

/// Whether pixel i does not count for the source `segment`, since it belongs to another source. For a negative number,
/// only the source's own pixels count.
inline bool is_of_another(const SepImage& image, std::int64_t i, std::int64_t segment) {
  if (image.segments == nullptr) return false;
  const std::int64_t owner = image.segments[i];
  return segment >= 0 ? owner != segment && owner != 0 : owner != -segment;
}

/// SEP's flags of apertures.
inline constexpr std::int16_t cut_off = 0x10, has_masked = 0x20, all_masked = 0x40, not_positive = 0x80;

/// The largest value, at least 0.
inline double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = value > largest ? value : largest;
  return largest;
}

/// For loops over rows, to be called before each row: between long rows, work stops if asked to.
inline void before_row(std::int64_t length) {
  constexpr std::int64_t long_row = 512;
  if (length > long_row) stop_if_asked();
}

using OptionalArray = std::optional<AnyArray>;
using OptionalValues = std::optional<Values<double>>;

/// Empty if there are no values.
template <class T>
std::span<const T> span_of(const std::optional<Values<T>>& values) {
  return values ? std::span<const T>(values->data(), values->shape(0)) : std::span<const T>{};
}
template <class T>
std::span<const T> span_of(const Values<T>& values) {
  return {values.data(), values.shape(0)};
}

/// An image from arguments that srcextract.sep has checked.
SepImage sep_image(const AnyArray& data, const std::optional<AnyArray>& mask, double mask_threshold);

void bind_sep_apertures(nanobind::module_& module);
void bind_sep_profiles(nanobind::module_& module);
void bind_sep_background(nanobind::module_& module);
void bind_sep_extract(nanobind::module_& module);

}  // namespace srcextract::python
