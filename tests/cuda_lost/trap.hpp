#pragma once

#include "stages/core/exec.hpp"

namespace srcextract::testing {

/// Has a kernel stop with a fault, and waits for it: the process loses the device.
void lose_device(const Gpu& where);

}  // namespace srcextract::testing
