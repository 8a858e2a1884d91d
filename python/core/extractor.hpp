#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "pipeline/machine/backend.hpp"
#include "survey/inputs/image_config.hpp"

namespace srcextract::python {

/// A checked configuration that is made once and used for many images.
struct Configuration {
  std::shared_ptr<const ImageConfig> given;
  /// Configuration of the reference image that is subtracted. Null: the same as `given`.
  std::shared_ptr<const ImageConfig> of_reference = nullptr;
  std::string note = {};  ///< GivenConfig::note
};

/// Converts `auto`, `cpu` or `cuda` to a back end. Throws Error{config} for other words.
Backend backend_of(const std::string& word);

/// Like choose_machine(), but for Backend::automatic also throws Error{device} if the machine has GPUs and a device
/// that the user named is missing.
Machine machine_of(const MachineWish& wish, const Workload& work);

/// Adds the classes `Configuration`, `PixelInputs`, `FilesWith` and `Extractor`.
void bind_extractor(nanobind::module_& module);

}  // namespace srcextract::python
