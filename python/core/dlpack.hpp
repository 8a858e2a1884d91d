#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// `read_dlpack(capsule)`, which takes over the result of `__dlpack__()`. Returns the device type (DLPack's number),
/// the address of the first element, shape, strides in bytes, the type like "<f4", and the owner.
void bind_dlpack(nanobind::module_& module);

}  // namespace srcextract::python
