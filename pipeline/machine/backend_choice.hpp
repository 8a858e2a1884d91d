#pragma once

#include <cstdint>
#include <string>

#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// Estimated amount of work of a run. The estimate opens no file, since a damaged file may crash the process. A file is
/// opened only after the journal (the batch command's record of images) names the file, so that the next run can tell
/// which file caused a crash.
struct Workload {
  std::int64_t pixel_bytes = 0;    ///< bytes of all pixels that are read, stored as float32
  std::int64_t divided_bytes = 0;  ///< the same for images whose sources are deblended
  std::int64_t crowd_bytes = 0;    ///< the same for images whose stars are fitted jointly (crowd.method)
  double multiply_adds = 0;        ///< multiply-adds of all convolutions
  bool several_images = false;     ///< whether there may be more than one image
  std::int64_t images = 1;         ///< lower limit of the number of images
};

/// Estimates the bytes of a file's pixels as float32, from the name and the size of the file. For an uncompressed file,
/// 1.5 times the size: float32 pixels would need a factor of 1, 16-bit integers a factor of 2. For a compressed file, 4
/// (.gz) or 6 (.fz) times the size.
std::int64_t pixel_bytes(const ImageFile& file);

/// Sums the work of all files. Includes detection images, reference images, bands, and files that are combined with
/// images.
Workload workload_of(const PlannedFiles& files);

/// Estimated seconds from the start of the program to the end, with the CPU alone (`cpu`) and with a GPU (`gpu`).
struct TimeEstimate {
  double cpu = 0, gpu = 0;

  /// Whether the CPU extracts the first images while a GPU starts. True if each thread has at least two images and
  /// finishes one image before the GPU has started.
  bool cpu_begins = false;

  bool favours_gpu() const { return gpu < cpu; }
};

/// Estimates the times on `threads` CPU threads and on one GPU that has not been started. If cpu_begins is true, `gpu`
/// counts only the images that the CPU leaves to the GPU. The constants were measured: tests/bench/HISTORY.md
/// ("Constants of `auto`").
TimeEstimate estimate_times(const Workload& work, int threads);

}  // namespace srcextract
