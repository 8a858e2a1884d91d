#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// What there is to do, as far as it can be told before all files are opened.
struct Workload {
  std::int64_t pixel_bytes = 0;    ///< of what is read, as float32
  std::int64_t divided_bytes = 0;  ///< of these, of images whose sources are deblended
  double multiply_adds = 0;        ///< of the convolutions
  bool several_images = false;     ///< there may be more than one
  std::int64_t images = 1;         ///< at least
};

/// The bytes that the pixels of files would take as float32, where no more is known of most of them than their size:
/// how they are stored, the headers of the first file say, for all whose names end alike. Where these say nothing, or
/// the whole file would have to be inflated: as many bytes as the file has, or four times as many if it is compressed.
class PixelBytes {
 public:
  std::int64_t of(const ImageFile& file);

 private:
  std::map<std::string, double> of_a_byte_;  ///< by the ending
};

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
