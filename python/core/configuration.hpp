#pragma once

#include <memory>

#include "survey/inputs/image_config.hpp"

namespace srcextract::python {

/// A configuration, checked, with what a catalogue in Python keeps.
struct Configuration {
  std::shared_ptr<const ImageConfig> given;
};

}  // namespace srcextract::python
