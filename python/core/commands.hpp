#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// `compare` and `merge`: the results of these commands.
void bind_commands(nanobind::module_& module);

}  // namespace srcextract::python
