#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// Has Error arrive in Python as the class of srcextract.errors that is its kind's.
void bind_errors(nanobind::module_& module);

}  // namespace srcextract::python
