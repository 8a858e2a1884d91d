#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cuda/device/cuda_devices.hpp"
#include "pipeline/machine/versions.hpp"
#include "python/core/arrays.hpp"
#include "python/core/bindings.hpp"
#include "python/core/catalogue.hpp"
#include "python/core/extractor.hpp"
#include "python/core/log.hpp"
#include "python/core/psf.hpp"
#include "python/core/sep/image.hpp"
#include "python/core/stages/stages.hpp"
#include "stages/core/parallel.hpp"

NB_MODULE(_core, module) {
  using namespace srcextract;
  // Objects that still exist at exit are no leaks, since Python does not destroy all objects, for instance those of
  // running threads.
  nanobind::set_leak_warnings(false);
  module.doc() = "The compiled half of srcextract; what is meant for use is in the package itself.";
  module.def("version", &program_version);
  module.def("cuda_built", &cuda_built);
  module.def("program_build", &program_build);
  module.def("library_versions", &library_versions);
  python::bind_errors(module);
  python::bind_log(module);
  python::bind_arrays(module);
  python::bind_catalogue(module);
  python::bind_psf(module);
  python::bind_dlpack(module);
  python::bind_extractor(module);
  module.def("available_threads", &available_threads);
  python::bind_sep_annulus_stats(module);
  python::bind_sep_apertures(module);
  python::bind_sep_background(module);
  python::bind_sep_extract(module);
  python::bind_sep_ellipses(module);
  python::bind_sep_profiles(module);
  python::bind_sep_radii(module);
  python::bind_batch(module);
  python::bind_commands(module);
  python::bind_stages(module);
}
