#pragma once

#include <cstdint>
#include <string>

#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// The amount of work, estimated without opening a file. Opening a file that ends the process must wait until the
/// journal says that the file was begun.
struct Workload {
  std::int64_t pixel_bytes = 0;    ///< read pixels, as float32
  std::int64_t divided_bytes = 0;  ///< pixels of images whose sources are deblended
  std::int64_t crowd_bytes = 0;    ///< pixels of images whose stars are fitted at once
  double multiply_adds = 0;        ///< of the convolutions
  bool several_images = false;     ///< there may be more than one
  std::int64_t images = 1;         ///< at least
};

/// Estimated bytes of a file's pixels as float32, from its name and size. Uncompressed: 1.5 times the size, between
/// float32 (1) and 16-bit integers (2). Compressed: several times the size.
std::int64_t pixel_bytes(const ImageFile& file);

/// Detection images, references, and files combined with images count as well.
Workload workload_of(const PlannedFiles& files);

/// Seconds from the start of the program to its end.
struct TimeEstimate {
  double cpu = 0, gpu = 0;

  /// Whether the CPU does the first images while a GPU starts: every thread has some, and is done with one by then.
  bool cpu_begins = false;

  bool favours_gpu() const { return gpu < cpu; }
};

/// Time of the work on `threads` threads, and with one GPU that is not started yet. If cpu_begins, the threads
/// work until the GPU is ready. tests/bench/HISTORY.md ("Constants of `auto`") has the measurements.
TimeEstimate estimate_times(const Workload& work, int threads);

}  // namespace srcextract
