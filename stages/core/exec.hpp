#pragma once

#include <cstdint>

struct CUstream_st;

namespace srcextract {

class Workspace;

/// Work runs on host threads, data lives in host memory. The result of a stage never depends on `threads`.
struct Cpu {
  int threads = 1;
};

/// Room for runs and sources on a device, where the host does not know their numbers in advance; 0: as many as the
/// image can have.
struct Capacity {
  std::int64_t runs = 0;
  std::int64_t sources = 0;
};

/// Work runs on one CUDA device in one stream, data lives in that device's memory. Made by cuda/device/device.hpp.
struct Gpu {
  int device = 0;
  int host_threads = 1;     ///< threads that read the file
  int multiprocessors = 1;  ///< of the device
  CUstream_st* stream = nullptr;
  Workspace* workspace = nullptr;  ///< where buffers come from and go back to
  Capacity capacity;
};

/// Returns when all work given to `where` so far is done. Host work is already done when its call returns.
inline void synchronize(const Cpu&) {}
void synchronize(const Gpu& where);

}  // namespace srcextract
