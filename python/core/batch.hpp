#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// `Batch`, which extracts files, several at a time, and returns the results in the order of the files.
void bind_batch(nanobind::module_& module);

}  // namespace srcextract::python
