#pragma once

#include <cstddef>

#include "stages/core/exec.hpp"

namespace srcextract {

/// Memory of which the device keeps the first bytes, and the host the others. Kernels read and write both, those on the
/// host as fast as the bus between them. Copies by cudaMemcpy are several times slower.
struct SharedMemory {
  void* memory = nullptr;  ///< to be freed with cudaFree
  std::size_t on_host = 0;
};

/// Allocates `bytes` bytes for the current device, at most `most_on_host` of them on the host. A quarter of the
/// device's free memory stays free. Null if that is not enough, or if the device cannot share memory.
SharedMemory allocate_shared(std::size_t bytes, std::size_t most_on_host, const Cpu& host);

}  // namespace srcextract
