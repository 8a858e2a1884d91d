#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// Adds the class `Batch`, which extracts several files in parallel and returns the results in the order of the files.
void bind_batch(nanobind::module_& module);

/// Adds the functions `compare` and `merge`, which do the work of these commands and return the results.
void bind_commands(nanobind::module_& module);

/// Adds the function `read_dlpack(capsule)`, which takes ownership of a capsule made by `__dlpack__()`. The function
/// returns the device type (DLPack's number), the address of the first element, the shape, the strides in bytes, the
/// type (as "<f4"), and an object that owns the memory.
void bind_dlpack(nanobind::module_& module);

/// Makes exceptions of class Error appear in Python as the classes of srcextract.errors.
void bind_errors(nanobind::module_& module);

}  // namespace srcextract::python
