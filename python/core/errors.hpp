#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// Converts Error to the class in srcextract.errors for its kind.
void bind_errors(nanobind::module_& module);

}  // namespace srcextract::python
