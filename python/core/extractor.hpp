#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "pipeline/machine/backend.hpp"
#include "survey/inputs/image_config.hpp"

namespace srcextract::python {

/// A configuration, checked, with what a catalogue in Python keeps.
struct Configuration {
  std::shared_ptr<const ImageConfig> given;
};

/// Throws Error{config} unless it is auto, cpu or cuda.
Backend backend_of(const std::string& word);

/// choose_machine(), but that `automatic` throws Error{device}, too, if there are GPUs and those that were named are
/// not among them.
Machine machine_of(const MachineWish& wish, const Workload& work);

/// `Configuration`, which is read once, and `Extractor`, which takes images of one through the pipeline.
void bind_extractor(nanobind::module_& module);

}  // namespace srcextract::python
