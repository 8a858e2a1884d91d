#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "pipeline/machine/backend.hpp"
#include "survey/inputs/image_config.hpp"

namespace srcextract::python {

/// A checked configuration, for catalogues in Python.
struct Configuration {
  std::shared_ptr<const ImageConfig> given;
  std::shared_ptr<const ImageConfig> of_reference = nullptr;  ///< configuration of the frame that is subtracted, if it
                                                              ///< has its own
};

/// The back end `auto`, `cpu` or `cuda`. Throws Error{config} for other words.
Backend backend_of(const std::string& word);

/// As choose_machine(). In addition `automatic` throws Error{device} if there are GPUs but a named one is missing.
Machine machine_of(const MachineWish& wish, const Workload& work);

/// `Configuration`, which is read once, and `Extractor`, which extracts images one by one.
void bind_extractor(nanobind::module_& module);

}  // namespace srcextract::python
