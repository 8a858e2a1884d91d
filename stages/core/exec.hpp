#pragma once

struct CUstream_st;

namespace srcextract {

/// Work runs on host threads, data lives in host memory. The result of a stage never depends on `threads`.
struct Cpu {
  int threads = 1;
};

/// Work runs on one CUDA device in one stream, data lives in that device's memory. Made by cuda/device.hpp.
struct Gpu {
  int device = 0;
  int host_threads = 1;  ///< that read the file
  CUstream_st* stream = nullptr;
};

/// Returns when all work given to `where` so far is done. Host work is done when its call returns.
inline void synchronize(const Cpu&) {}
void synchronize(const Gpu& where);

}  // namespace srcextract
