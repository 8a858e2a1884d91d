// The stages in a build without the CUDA back end: they have arrays of the host alone.
#include "python/core/stages_results.hpp"

namespace srcextract::python {

void bind_stage_devices(nanobind::module_&) {}

}  // namespace srcextract::python
