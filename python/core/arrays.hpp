#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cuda/ingest/device_pixels.hpp"
#include "stages/core/image.hpp"
#include "stages/core/pixel_source.hpp"

namespace srcextract::python {

/// An array of pixels, as described by Python's array interface. `type` is like ">i2". The array is in host memory or
/// in a GPU's. The caller keeps it alive.
struct PlaneArray {
  std::uintptr_t address = 0;                ///< of the first element
  std::array<std::int64_t, 2> shape = {};    ///< rows, columns
  std::array<std::int64_t, 2> strides = {};  ///< bytes from a row to the next row, and from a column to the next column
  std::string type;
  double bscale = 1, bzero = 0;  ///< of the stored values
  std::optional<std::int64_t> blank = {};
  std::optional<int> device = {};  ///< the GPU with its memory; empty: host memory
  Written written = {};            ///< for an array on a device: the work after which it may be read
};

/// Describes the pixels of an array, which are read in place if contiguous, else gathered while they are read. Unsigned
/// integers of more than a byte, and signed ones of a byte, are passed on as FITS stores them, with an offset. Throws
/// Error{input} for a type that pixels cannot have. The CUDA back end reads pixels of a device there. The host reads
/// them through `reader`, which must be of that device, or through a new one.
PixelSource source_of(const PlaneArray& array, std::shared_ptr<DeviceReader> reader = nullptr);

/// Makes a NumPy array that shows values in place and keeps `owner` alive; read-only if T is const.
template <class T>
nanobind::object numpy_array(T* values, std::vector<std::size_t> shape, nanobind::handle owner) {
  using Array = nanobind::ndarray<nanobind::numpy, T>;
  return nanobind::cast(Array(values, shape.size(), shape.data(), owner), nanobind::rv_policy::reference);
}

/// A NumPy array that owns its values.
template <class Owned, class T>
nanobind::object numpy_array(std::unique_ptr<Owned> owned, T* values, std::vector<std::size_t> shape) {
  const nanobind::capsule owner(owned.release(), [](void* kept) noexcept { delete static_cast<Owned*>(kept); });
  return numpy_array(values, std::move(shape), owner);
}

/// A NumPy array of an image on the host.
template <class T>
nanobind::object numpy_image(Image<T, Cpu>&& image) {
  auto owned = std::make_unique<Image<T, Cpu>>(std::move(image));
  T* const pixels = owned->pixels.data();
  const auto height = static_cast<std::size_t>(owned->shape.height),
             width = static_cast<std::size_t>(owned->shape.width);
  return numpy_array(std::move(owned), pixels, {height, width});
}

void bind_arrays(nanobind::module_& module);

}  // namespace srcextract::python
