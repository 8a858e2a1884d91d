#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// `read_dlpack(capsule)`, which takes over what `__dlpack__()` gave: the kind of device (DLPack's number), the address
/// of the first element, shape, strides in bytes, the type as in "<f4", and who keeps it.
void bind_dlpack(nanobind::module_& module);

}  // namespace srcextract::python
