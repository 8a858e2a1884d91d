#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "config/config.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "pipeline/exposure/open_map.hpp"
#include "stages/core/exposure.hpp"
#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// A detection image, opened with the maps that its configuration names.
struct OpenDetection {
  OpenDetection(const DetectionTask& of, OpenFrame opened, OpenMaps with)
      : task(of), frame(std::move(opened)), maps(std::move(with)) {}

  const DetectionTask& task;
  OpenFrame frame;
  OpenMaps maps;

  std::optional<PixelSource> border = std::nullopt;  ///< the mask of a radio map's blank border

  Exposure exposure() const {
    Exposure exposure = exposure_of(frame, maps, task.config());
    if (border) exposure.mask = border;
    return exposure;
  }
};

/// Opens the first image that `hdu` selects of the task's file. Throws Error{input} if it cannot be read, and
/// Error{memory} if the file is gzipped and has more than `most_inflated` bytes. `task` must outlive the result.
OpenDetection open_detection(const DetectionTask& task, const HduNames& hdu,
                             std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max());

/// The HDU of the detection image for `measured`: if input.hdu may select several, the one with the same number.
HduNames detection_hdu(const DetectionTask& task, const OpenFrame& measured);

/// Throws Error{input} if `measured`, which messages call `name`, has another shape, or another sky area by the WCS of
/// both.
void require_same_pixels(const OpenDetection& detection, const OpenFrame& measured, const std::string& name);

/// Throws Error{input} if two images of one shape show different sky areas by their WCS. Returns whether both have a
/// WCS to compare.
bool require_same_sky(const OpenFrame& one, const std::string& one_name, const OpenFrame& other,
                      const std::string& other_name);

}  // namespace srcextract
