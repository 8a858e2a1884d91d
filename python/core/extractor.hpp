#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// `Configuration`, which is read once, and `Extractor`, which takes images of one through the pipeline.
void bind_extractor(nanobind::module_& module);

}  // namespace srcextract::python
