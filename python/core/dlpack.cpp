#include "python/core/bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include "stages/core/error.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

std::string type_of(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  const auto is = [&](Code code) { return type.code == static_cast<std::uint8_t>(code); };
  const char* const kind = is(Code::Int)     ? "i"
                           : is(Code::UInt)  ? "u"
                           : is(Code::Float) ? "f"
                           : is(Code::Bool)  ? "b"
                                             : nullptr;
  if (kind == nullptr || type.lanes != 1 || type.bits % 8 != 0)
    throw Error(ErrorKind::input,
                "pixels cannot be complex, nor of a type that NumPy has not, as bfloat16; convert the array, as with "
                "array.astype('float32')");
  return std::string(type.bits == 8 ? "|" : "<") + kind + std::to_string(type.bits / 8);
}

/// Keeps the array of a DLPack capsule alive.
struct Lent {
  nb::ndarray<nb::ro> array;
};

nb::tuple read_dlpack(const nb::object& capsule) {
  Lent lent{nb::cast<nb::ndarray<nb::ro>>(capsule)};
  const nb::ndarray<nb::ro>& array = lent.array;
  const std::string type = type_of(array.dtype());
  const auto bytes = static_cast<std::int64_t>(array.itemsize());
  nb::list shape, strides;
  for (std::size_t axis = 0; axis < array.ndim(); ++axis) {
    shape.append(array.shape(axis));
    strides.append(array.stride(axis) * bytes);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(array.data());
  const int kind = array.device_type();
  return nb::make_tuple(kind, address, nb::tuple(shape), nb::tuple(strides), type, nb::cast(std::move(lent)));
}

}  // namespace

void bind_dlpack(nb::module_& module) {
  const nb::class_<Lent> lent(module, "Lent");
  module.def("read_dlpack", &read_dlpack, nb::arg("capsule"));
}

}  // namespace srcextract::python
