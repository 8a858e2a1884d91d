#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The properties of an image that decide how much memory its extraction needs, as far as they are known before the
/// pixels are read.
struct RunPlan {
  const Config& config;
  Shape shape;
  std::int64_t planes = 1;            ///< number of planes that are combined into the image; 1 if none are combined
  std::int64_t reference_planes = 0;  ///< number of the reference's planes; 0: no reference is subtracted
  const Config* found_in = nullptr;   ///< configuration of the detection image; null: there is none
  std::int64_t found_planes =
      1;  ///< number of planes that are combined into the detection image; 1 if none are combined
  bool frames_have_maps = false;  ///< whether a frame of a difference has a weight map
  bool compares =
      false;  ///< whether both back ends extract the image and keep the results of every stage for a comparison
  std::int64_t beside =
      0;  ///< bytes of host memory that the caller counts for files and maps, in addition to the extraction

  bool of_difference() const { return reference_planes > 0; }
};

RunPlan plan_of(const Exposure& exposure, const Config& config);

/// The plan of an image whose file is not opened yet. If the configuration does not name the planes to combine, their
/// number is guessed. `found_in`: configuration of the detection image; null: there is none.
RunPlan plan_of(const Shape& shape, const Config& config, bool of_difference, const Config* found_in = nullptr);

/// Whether the image is searched twice, for sources brighter and fainter than the sky. The image then must be kept
/// until the second search.
bool extracts_twice(const Config& config, bool of_difference);

/// Host memory in bytes that the extraction of an image as a whole needs. The sum of: the pixels, half as much again
/// for work, the images that stages keep, and RunPlan::beside. Narrow images or small meshes need more for work. With
/// RunPlan::compares, all parts but RunPlan::beside count four times.
std::int64_t host_memory(const RunPlan& plan);

/// Whether the image can be extracted by rows, that is with only some of its rows in memory at a time. The catalogue is
/// the same. A comparison of the back ends needs whole images.
bool goes_by_rows(const RunPlan& plan);

/// Host memory that the extraction of an image takes.
struct HostMemory {
  std::int64_t bytes = 0;
  std::int64_t rows = 0;  ///< bytes of these that rows of the image share; 0: the image is in memory as a whole
};

/// The host memory of an image if `most` bytes are available. The image is extracted by rows if three conditions hold:
/// it can be; the whole image with 1000 sources per megapixel needs more than `most`; and rows need less than the whole
/// image. The result may be larger than `most`.
HostMemory host_memory_within(const RunPlan& plan, std::int64_t most);

/// Host memory in bytes for the sources of an image. Their number is known only after they are found.
std::int64_t sources_memory(std::int64_t sources, const Config& config);

/// GPU memory in bytes for the images that stages keep, in addition to the extracted image.
std::int64_t device_memory_beside(const RunPlan& plan);

}  // namespace srcextract
