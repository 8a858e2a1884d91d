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

/// The open reference frame, which `srcextract difference` subtracts from the new frame.
struct OpenReference {
  std::string path;
  OpenFrame frame;
  OpenMaps maps;
  std::shared_ptr<const ReferenceFrame> subtracted;  ///< the frame and its maps as the input of the stages

  /// Forgets which pixels of the first plane and the maps were read so far.
  void forget_reads() const {
    frame.forget_reads();
    maps.forget_reads();
  }

  /// Calls FitsImage::require_unchanged() for all files of the reference.
  void require_unchanged() const {
    frame.require_unchanged();
    maps.require_unchanged();
  }
};

/// Opens the reference of the new frame `fresh`, which messages call `name`, and determines how the pixels of both
/// correspond. If input.hdu may select several HDUs, the reference's HDU is the one with the same number as that of
/// `fresh`.
///
/// `own`: configuration of the reference, which names its maps; null: the reference is read with `config` and has no
/// maps.
///
/// Throws the errors of open_maps(). Throws Error{input} if the reference cannot be read. With difference.align = wcs,
/// also throws Error{input} if a frame has no usable WCS, or if the frames do not overlap. Otherwise also throws
/// Error{input} if the shapes of the frames or the sky positions of their pixels differ. Frames without a WCS are then
/// assumed to correspond, with a warning. Throws Error{memory} if the reference is gzipped and inflates to more
/// than `most_inflated` bytes.
OpenReference open_reference(const std::string& path, const OpenFrame& fresh, const std::string& name,
                             const Config& config, const Config* own, const Cpu& where,
                             std::int64_t most_inflated = std::numeric_limits<std::int64_t>::max());

}  // namespace srcextract
