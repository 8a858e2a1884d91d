#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "pipeline/chain/plan.hpp"

namespace srcextract {

/// Host memory in bytes that the extraction of an image as a whole needs. The sum of: the pixels, half as much again
/// for work, the images that stages keep, and Plan::beside. Narrow images or small meshes need more for work. With
/// Plan::compares, all parts but Plan::beside count four times.
std::int64_t host_memory(const Plan& plan);

/// Whether the image can be extracted by rows, that is with only some of its rows in memory at a time. The catalogue is
/// the same. A comparison of the back ends needs whole images.
bool goes_by_rows(const Plan& plan);

/// Host memory that the extraction of an image takes.
struct HostMemory {
  std::int64_t bytes = 0;
  std::int64_t rows = 0;  ///< bytes of these that rows of the image share; 0: the image is in memory as a whole
};

/// The host memory of an image if `most` bytes are available. The image is extracted by rows if three conditions hold:
/// it can be; the whole image with 1000 sources per megapixel needs more than `most`; and rows need less than the whole
/// image. The result may be larger than `most`.
HostMemory host_memory_within(const Plan& plan, std::int64_t most);

/// Host memory in bytes for the sources of an image. Their number is known only after they are found.
std::int64_t sources_memory(std::int64_t sources, const Config& config);

/// GPU memory in bytes for the images that stages keep, in addition to the extracted image.
std::int64_t device_memory_beside(const Plan& plan);

}  // namespace srcextract
