#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "config/config.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "pipeline/exposure/open_map.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The frame that `srcextract difference` subtracts, opened.
struct OpenReference {
  std::string path;
  OpenFrame frame;
  OpenMaps maps;
  std::shared_ptr<const ReferenceFrame> subtracted;  ///< for the stages

  /// FitsImage::require_unchanged() of all its files.
  void require_unchanged() const {
    frame.require_unchanged();
    maps.require_unchanged();
  }
};

/// Opens the reference of a new frame, which messages call `name`, and determines how the pixels of both correspond. If
/// input.hdu may select several HDUs, the reference's HDU is the one with the same number. `own` is the reference's
/// configuration, which names its maps; null: `config`, and no maps. Throws the errors of open_maps(). Throws
/// Error{input} if the reference cannot be read, or if the WCS of the frames cannot tell how they correspond. Also
/// throws Error{input} if the frames differ in their sky pixels and difference.align does not say how to handle it.
/// Throws Error{memory} if the reference is gzipped and has more than `most_inflated` bytes.
OpenReference open_reference(const std::string& path, const OpenFrame& fresh, const std::string& name,
                             const Config& config, const Config* own, const Cpu& where,
                             std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
