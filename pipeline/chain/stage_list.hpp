#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The settings and sizes of one image that decide how much memory it needs, as known before its pixels are read.
struct RunPlan {
  const Config& config;
  Shape shape;
  std::int64_t planes = 1;            ///< number of planes to be combined, if any
  std::int64_t reference_planes = 0;  ///< 0: no reference is subtracted
  const Config* found_in = nullptr;   ///< configuration of the detection image, if there is one
  bool frames_have_maps = false;      ///< a frame of a difference has a map of its noise

  bool of_difference() const { return reference_planes > 0; }
};

RunPlan plan_of(const Exposure& exposure, const Config& config);

/// The plan of an image whose file is not opened yet, so that the number of planes may have to be guessed.
RunPlan plan_of(const Shape& shape, const Config& config, bool of_difference);

/// Whether the image is searched twice, for brighter and fainter sources, so that no image may be freed before the end.
bool extracts_twice(const Config& config, bool of_difference);

/// Host memory, in bytes, that the stages need for an image: its pixels, half as much again for work on them, and the
/// images that stages keep. A thin image or small meshes need more for the work.
std::int64_t host_memory(const RunPlan& plan);

/// Whether the stages can take the rows of an image one after the other, so that the image need not be in memory as a
/// whole. The catalogue is the same.
bool goes_by_rows(const RunPlan& plan);

/// The part of `most` bytes of host memory for rows, if the image goes by rows; 0 if it is to be in memory as a whole.
/// It goes by rows if it can, and the whole image needs more than `most`.
std::int64_t row_memory(const RunPlan& plan, std::int64_t most);

/// Host memory that an image takes if there are `most` bytes: host_memory(), or that of its rows. It may exceed `most`.
std::int64_t host_memory_within(const RunPlan& plan, std::int64_t most);

/// Host memory for the sources of an image, in bytes. Their number is known only after they are found.
std::int64_t sources_memory(std::int64_t sources, const Config& config);

/// Device memory, in bytes, for the images that stages keep beside the extracted one.
std::int64_t device_memory_beside(const RunPlan& plan);

}  // namespace srcextract
