#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// `Batch`, which takes files through the pipeline, several at a time, and gives what became of them in their order.
void bind_batch(nanobind::module_& module);

}  // namespace srcextract::python
