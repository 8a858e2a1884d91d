#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "pipeline/exposure/open_map.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Where the sources of an image are to be found instead (srcextract -d).
struct DetectionTask {
  std::string path;
  Config config;  ///< that of the image, but for what --detect-set says; a kernel that is in a file has been read
};

/// That image, opened with the maps that its configuration names.
struct OpenDetection {
  OpenDetection(const DetectionTask& of, OpenFrame opened, OpenMaps with)
      : task(of), frame(std::move(opened)), maps(std::move(with)) {}

  const DetectionTask& task;
  OpenFrame frame;
  OpenMaps maps;

  Exposure exposure() const { return exposure_of(frame, maps, task.config); }
};

/// Throws Error{config} if a setting of --detect-set is of another section than those that say how an image is read and
/// what its sky is: `input`, `combine`, `background`, `weights` and `mask`.
void require_detection_settings(const std::vector<std::string>& settings);

/// Throws Error{config} if sources cannot be found in one image and measured in another with this configuration.
void require_detection_config(const Config& config);

/// Opens the first image that `hdu` selects of it. Throws Error{input} if it cannot be read; Error{memory} if it has
/// more than `most_inflated` bytes, gzipped. `task` must outlive what is returned.
OpenDetection open_detection(const DetectionTask& task, const HduNames& hdu,
                             std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max());

/// The HDU of it for `measured`: where input.hdu may select several that of the same number.
HduNames detection_hdu(const DetectionTask& task, const OpenFrame& measured);

/// Throws Error{input} if `measured`, which is called `name`, has another shape, or shows another sky by the WCS of
/// both.
void require_same_pixels(const OpenDetection& detection, const OpenFrame& measured, const std::string& name);

/// Throws Error{input} if two images of one shape show another sky. Whether both have a WCS that tells.
bool require_same_sky(const OpenFrame& one, const std::string& one_name, const OpenFrame& other,
                      const std::string& other_name);

}  // namespace srcextract
