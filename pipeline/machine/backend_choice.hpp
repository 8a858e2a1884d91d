#pragma once

#include <cstdint>
#include <string>

#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// The amount of work of a run, estimated without opening a file. Opening a file may crash the process, so must wait
/// until the journal says that the file was begun.
struct Workload {
  std::int64_t pixel_bytes = 0;    ///< bytes of all pixels that are read, as float32
  std::int64_t divided_bytes = 0;  ///< the same, of images whose sources are deblended
  std::int64_t crowd_bytes = 0;    ///< the same, of images whose stars are fitted at once
  double multiply_adds = 0;        ///< number of multiply-adds of the convolutions
  bool several_images = false;     ///< there may be more than one image
  std::int64_t images = 1;         ///< least number of images
};

/// Estimated bytes of a file's pixels as float32, from its name and size. Uncompressed: 1.5 times the size, between
/// float32 (1) and 16-bit integers (2). Compressed: several times the size.
std::int64_t pixel_bytes(const ImageFile& file);

/// Sums the work of all files; includes detection images, references and files that are combined with images.
Workload workload_of(const PlannedFiles& files);

/// Estimated seconds from the start of the program to its end, on the CPU and on a GPU.
struct TimeEstimate {
  double cpu = 0, gpu = 0;

  /// Whether the CPU extracts the first images while a GPU starts. True if each thread has at least two images and
  /// finishes one before the GPU is ready.
  bool cpu_begins = false;

  bool favours_gpu() const { return gpu < cpu; }
};

/// Estimates the time of the work on `threads` threads, and on one GPU that is not started yet; decides cpu_begins. If
/// that is true, threads work while the GPU starts, and the GPU's estimate leaves their share out.
/// tests/bench/HISTORY.md ("Constants of `auto`") has the measurements.
TimeEstimate estimate_times(const Workload& work, int threads);

}  // namespace srcextract
