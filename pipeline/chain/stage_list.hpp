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
  std::int64_t found_planes = 1;      ///< number of the detection image's planes to be combined, if any
  bool frames_have_maps = false;      ///< a frame of a difference has a map of its noise
  bool compares = false;              ///< both back ends extract the image, and keep what every stage left
  std::int64_t beside = 0;            ///< bytes of host memory that files and maps of this image take

  bool of_difference() const { return reference_planes > 0; }
};

RunPlan plan_of(const Exposure& exposure, const Config& config);

/// The plan of an image whose file is not opened yet, so that the number of planes may have to be guessed. `found_in`:
/// the configuration of the detection image, if there is one.
RunPlan plan_of(const Shape& shape, const Config& config, bool of_difference, const Config* found_in = nullptr);

/// Whether the image is searched twice, for brighter and fainter sources, so that no image may be freed before the end.
bool extracts_twice(const Config& config, bool of_difference);

/// Host memory, in bytes, that an image needs: its pixels, half as much again for work on them, the images that stages
/// keep, and what is beside them. A thin image or small meshes need more for the work.
std::int64_t host_memory(const RunPlan& plan);

/// Whether the stages can take the rows of an image one after the other, so that the image need not be in memory as a
/// whole. The catalogue is the same. A comparison of back ends takes whole images.
bool goes_by_rows(const RunPlan& plan);

/// Host memory that an image takes, in bytes.
struct HostMemory {
  std::int64_t bytes = 0;
  std::int64_t rows = 0;  ///< bytes among these for rows; 0: the image is in memory as a whole
};

/// The host memory of an image if there are `most` bytes. The image goes by rows if it can, the whole image with a
/// thousand sources a megapixel needs more than `most`, and rows need less. Both may need more than `most`.
HostMemory host_memory_within(const RunPlan& plan, std::int64_t most);

/// Host memory for the sources of an image, in bytes. Their number is known only after they are found.
std::int64_t sources_memory(std::int64_t sources, const Config& config);

/// Device memory, in bytes, for the images that stages keep beside the extracted one.
std::int64_t device_memory_beside(const RunPlan& plan);

}  // namespace srcextract
