#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// `compare` and `merge`: what the commands of these names find and write.
void bind_commands(nanobind::module_& module);

}  // namespace srcextract::python
