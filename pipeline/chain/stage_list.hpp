#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// A run over one image, as far as it is known before its pixels are read.
struct RunPlan {
  const Config& config;
  Shape shape;
  std::int64_t planes = 1;            ///< that are combined, if they are
  std::int64_t reference_planes = 0;  ///< 0: no reference is subtracted
  bool found_elsewhere = false;       ///< there is a detection image

  bool of_difference() const { return reference_planes > 0; }
};

RunPlan plan_of(const Exposure& exposure, const Config& config);

/// The same where the file has not been opened, so that the number of planes may have to be guessed.
RunPlan plan_of(const Shape& shape, const Config& config, bool of_difference);

/// The one declaration of what a stage costs. A stage that keeps images of its own has an entry.
struct StageCost {
  bool (*is_used)(const RunPlan&);
  /// Images of float32 that it keeps beside the one that is extracted.
  std::int64_t (*host_images)(const RunPlan&);
  std::int64_t (*device_images)(const RunPlan&);
};

/// Whether sources are found twice: then no image is given up before the end.
bool extracts_twice(const Config& config, bool of_difference);

/// Host memory, in bytes, that the stages need for an image: its pixels, half as much again for the work on them, or
/// more if the image is thin or its meshes are small, and the images that stages keep beside it.
std::int64_t host_memory(const RunPlan& plan);

/// What the sources of an image take on the host beside that: how many there are is known only once they are found.
std::int64_t sources_memory(std::int64_t sources, const Config& config);

/// Device memory, in bytes, that stages need for the images that they keep beside the one that is extracted.
std::int64_t device_memory_beside(const RunPlan& plan);

}  // namespace srcextract
