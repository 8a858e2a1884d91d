#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// `Batch`, which extracts files, several at a time, and returns the results in the order of the files.
void bind_batch(nanobind::module_& module);

/// Adds `compare` and `merge` to the module, which return the results of these commands.
void bind_commands(nanobind::module_& module);

/// Adds `read_dlpack(capsule)` to the module, which takes over the result of `__dlpack__()`. It returns the device type
/// (DLPack's number), the address of the first element, shape, strides in bytes, the type like "<f4", and the owner.
void bind_dlpack(nanobind::module_& module);

/// Converts Error to the class in srcextract.errors for its kind.
void bind_errors(nanobind::module_& module);

}  // namespace srcextract::python
