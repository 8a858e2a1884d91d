#pragma once

#include <cstdint>
#include <string>

#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// What there is to do, as far as it can be told before a file is opened: one that ends the process must not do so
/// before the journal says that it was begun.
struct Workload {
  std::int64_t pixel_bytes = 0;    ///< of what is read, as float32
  std::int64_t divided_bytes = 0;  ///< of these, of images whose sources are deblended
  double multiply_adds = 0;        ///< of the convolutions
  bool several_images = false;     ///< there may be more than one
  std::int64_t images = 1;         ///< at least
};

/// The bytes that the pixels of a file take as float32. A guess by its name and size: half as many again as the file
/// has, which is between what float32 and integers of 16 bits take, or several times as many if it is compressed.
std::int64_t pixel_bytes(const ImageFile& file);

/// `reference` is the frame that is read with each image, to be subtracted; empty: none. Detection images, and files
/// that images are combined with, are read as well.
Workload workload_of(const PlannedFiles& files, const std::string& reference);

/// Seconds from the start of the program to its end.
struct TimeEstimate {
  double cpu = 0, gpu = 0;

  bool favours_gpu() const { return gpu < cpu; }
};

/// So many images that the CPU does some of them in the time that a GPU takes to start, and all threads have some.
bool is_for_all(const Workload& work, int threads);

/// How long the work takes on so many threads, and with one GPU that has yet to be started; if it is for all, the
/// threads work until the GPU is there. The constants are those of docs/performance.md ("Which back end auto takes").
TimeEstimate estimate_times(const Workload& work, int threads);

}  // namespace srcextract
