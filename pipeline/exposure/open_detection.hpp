#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "config/config.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "pipeline/exposure/open_map.hpp"
#include "stages/core/exposure.hpp"
#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// An open detection image (dual-image mode: sources found here are measured in other images), with its maps.
struct OpenDetection {
  OpenDetection(const DetectionTask& of, OpenFrame opened, OpenMaps with)
      : task(of), frame(std::move(opened)), maps(std::move(with)) {}

  const DetectionTask& task;
  OpenFrame frame;
  OpenMaps maps;

  Exposure exposure() const { return exposure_of(frame, maps, task.config()); }
};

/// Opens the first image that `hdu` selects in the task's file. Throws Error{input} if the image cannot be read, and
/// Error{memory} if the file is gzipped and inflates to more than `most_inflated` bytes. `task` must outlive the
/// result.
OpenDetection open_detection(const DetectionTask& task, const HduNames& hdu,
                             std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max());

/// The HDU of the detection image that belongs to the image `measured`. If input.hdu of the detection image may select
/// several HDUs, the HDU with the same number as that of `measured`.
HduNames detection_hdu(const DetectionTask& task, const OpenFrame& measured);

/// Throws Error{input} if the shape of `measured` differs from that of the detection image, or if their WCS give a
/// pixel different sky positions. `name`: name of `measured` in messages.
void require_same_pixels(const OpenDetection& detection, const OpenFrame& measured, const std::string& name);

/// Throws Error{input} if the WCS of two images of one shape give different sky positions for the same pixels. Returns
/// whether both images have a WCS to compare.
bool require_same_sky(const OpenFrame& one, const std::string& one_name, const OpenFrame& other,
                      const std::string& other_name);

}  // namespace srcextract
