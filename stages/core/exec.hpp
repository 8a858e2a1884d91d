#pragma once

#include <cstdint>

struct CUstream_st;

namespace srcextract {

class Workspace;

/// Selects host execution of a stage, with data in host memory. The result of a stage never depends on `threads`.
struct Cpu {
  int threads = 1;
};

/// Numbers of elements that device buffers hold. A stage allocates these buffers before kernels have counted the
/// elements, since the host does not wait for the count. 0: the largest number that the image can have.
struct Capacity {
  std::int64_t runs = 0;
  std::int64_t sources = 0;
  std::int64_t pixels = 0;  ///< pixels of islands (connected groups of foreground pixels), for deblending

  /// The usual number of pixels per run (a run: consecutive foreground pixels of a row, see runs.hpp). with_pixels()
  /// returns this capacity with room for as many pixels per run.
  static constexpr std::int64_t pixels_per_run = 16;
  Capacity with_pixels() const { return {runs, sources, pixels_per_run * runs}; }

  /// Returns the number of elements of a buffer for `wanted`, one of the numbers above. `most` is the largest number
  /// that the image can have.
  static std::int64_t within(std::int64_t wanted, std::int64_t most) {
    return wanted > 0 && wanted < most ? wanted : most;
  }
};

/// Selects device execution of a stage: one CUDA device, one stream, data in the memory of the device.
/// cuda/device/device.hpp makes objects of this class.
struct Gpu {
  int device = 0;
  int host_threads = 1;  ///< threads that read the input file
  int multiprocessors = 1;
  CUstream_st* stream = nullptr;
  Workspace* workspace = nullptr;  ///< pool of device memory for buffers
  Capacity capacity;
};

/// Returns when all work that is queued on `where` is complete. For a Cpu there is nothing to wait for.
inline void synchronize(const Cpu&) {}
void synchronize(const Gpu& where);

}  // namespace srcextract
