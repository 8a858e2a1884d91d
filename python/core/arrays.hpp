#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
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

/// A two-dimensional array of pixels in host memory or in the memory of a GPU, as Python's array interface describes
/// the array. `type` is a string such as ">i2". The caller keeps the array alive.
struct PlaneArray {
  std::uintptr_t address = 0;                ///< address of the first element
  std::array<std::int64_t, 2> shape = {};    ///< rows, columns
  std::array<std::int64_t, 2> strides = {};  ///< bytes from a row to the next row, and from a column to the next column
  std::string type;
  double bscale = 1, bzero = 0;            ///< value of a pixel: bzero + bscale times the stored value
  std::optional<std::int64_t> blank = {};  ///< the integer that a FITS file stores for masked pixels
  std::optional<int> device = {};          ///< index of the GPU whose memory has the array; empty: host memory
  Written written = {};  ///< for an array on a GPU: the work on a stream that must end before the array may be read
};

/// Makes a source of an array's pixels. Contiguous pixels are read in place; other pixels are gathered when the source
/// is read. Types that FITS lacks (int8, uint16, uint32, uint64) are converted to stored values with an offset, as in
/// FITS. Throws Error{input} for a type that pixels cannot have. The CUDA back end reads pixels on a GPU directly. The
/// host reads pixels on a GPU through `reader`, which must be of that GPU, or through a new reader if `reader` is null.
PixelSource source_of(const PlaneArray& array, std::shared_ptr<DeviceReader> reader = nullptr);

/// Copies `count` elements of `bytes` bytes each, which are `step` bytes apart. `bytes` is 1, 2, 4 or 8.
void gather(const std::byte* from, std::int64_t step, std::int64_t count, std::size_t bytes, std::byte* out);

/// Makes a NumPy array that refers to `values` without copying, and keeps `owner` alive. Read-only if T is const.
template <class T>
nanobind::object numpy_array(T* values, std::vector<std::size_t> shape, nanobind::handle owner) {
  using Array = nanobind::ndarray<nanobind::numpy, T>;
  return nanobind::cast(Array(values, shape.size(), shape.data(), owner), nanobind::rv_policy::reference);
}

/// Makes a NumPy array that refers to `values` inside `owned`, and destroys `owned` together with the array.
template <class Owned, class T>
nanobind::object numpy_array(std::unique_ptr<Owned> owned, T* values, std::vector<std::size_t> shape) {
  const nanobind::capsule owner(owned.release(), [](void* kept) noexcept { delete static_cast<Owned*>(kept); });
  return numpy_array(values, std::move(shape), owner);
}

/// Makes a NumPy array that owns an image in host memory.
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
