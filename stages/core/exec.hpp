#pragma once

#include <cstdint>

struct CUstream_st;

namespace srcextract {

class Workspace;

/// Where a stage runs: on host threads, with data in host memory. The result of a stage never depends on `threads`.
struct Cpu {
  int threads = 1;
};

/// For how many runs and sources a device has room, since the host does not know their numbers in advance. 0: as many
/// as the image can have.
struct Capacity {
  std::int64_t runs = 0;
  std::int64_t sources = 0;
  std::int64_t pixels = 0;  ///< pixels of islands, for deblending

  /// This capacity with room for pixels_per_run pixels per run, as many as runs usually have.
  static constexpr std::int64_t pixels_per_run = 16;
  Capacity with_pixels() const { return {runs, sources, pixels_per_run * runs}; }
};

/// Where a stage runs: on one CUDA device, in one stream, with data in that device's memory. Made by
/// cuda/device/device.hpp.
struct Gpu {
  int device = 0;
  int host_threads = 1;     ///< threads that read the file
  int multiprocessors = 1;  ///< number of multiprocessors of the device
  CUstream_st* stream = nullptr;
  Workspace* workspace = nullptr;  ///< pool from which buffers are taken, and to which they return
  Capacity capacity;
};

/// Returns when all work that was queued on `where` is done. Host work is always done when its call returns.
inline void synchronize(const Cpu&) {}
void synchronize(const Gpu& where);

}  // namespace srcextract
