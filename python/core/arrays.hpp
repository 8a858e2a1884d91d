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

/// An array of pixels as Python's array interface tells of it: the address of its first element, rows and columns, the
/// bytes from row to row and from column to column, and a type as in ">i2"; on the host, or in the memory of a GPU.
/// Whoever made it keeps it alive.
struct PlaneArray {
  std::uintptr_t address = 0;
  std::array<std::int64_t, 2> shape = {};    ///< rows, columns
  std::array<std::int64_t, 2> strides = {};  ///< bytes
  std::string type;
  double bscale = 1, bzero = 0;  ///< of what is stored
  std::optional<std::int64_t> blank = {};
  std::optional<int> device = {};  ///< in whose memory it lies; nothing: in the host's
  Written written = {};            ///< on a device: when it may be read
};

/// Its pixels, where they are if they lie one after the other, and else gathered as they are read. Those of unsigned
/// and of one-byte signed types are stored as FITS has them, with an offset. Throws Error{input} for a type that pixels
/// cannot have. Those of a device are read there by the CUDA back end; what the host wants of them comes by `reader`,
/// which is one of that device, or by one of their own.
PixelSource source_of(const PlaneArray& array, std::shared_ptr<DeviceReader> reader = nullptr);

/// Values in NumPy, which keeps `owner` for as long as it has them; read-only unless T is not const.
template <class T>
nanobind::object numpy_array(T* values, std::vector<std::size_t> shape, nanobind::handle owner) {
  using Array = nanobind::ndarray<nanobind::numpy, T>;
  return nanobind::cast(Array(values, shape.size(), shape.data(), owner), nanobind::rv_policy::reference);
}

/// The same of what nobody else has.
template <class Owned, class T>
nanobind::object numpy_array(std::unique_ptr<Owned> owned, T* values, std::vector<std::size_t> shape) {
  const nanobind::capsule owner(owned.release(), [](void* kept) noexcept { delete static_cast<Owned*>(kept); });
  return numpy_array(values, std::move(shape), owner);
}

/// An image of the host.
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
