#pragma once

#include <nanobind/nanobind.h>

namespace srcextract::python {

/// Keeps what the program logs, for Python: `take_log()` of the module returns what came since it was called last,
/// pairs of a level of logging (10 to 50) and a text.
void bind_log(nanobind::module_& module);

}  // namespace srcextract::python
