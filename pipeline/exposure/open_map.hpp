#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/exposure/map_pairs.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "stages/core/exposure.hpp"
#include "stages/measure/source_flags.hpp"

namespace srcextract {

/// An opened map with a value for every pixel of a frame: its noise, its sky level, or its flags.
struct OpenMap {
  std::string path;
  FitsImage image;
  std::int64_t plane;
  PixelSource pixels;

  std::uint32_t datasum() const { return image.datasum(plane); }
};

/// The maps that are read with a frame, where there are any: weights, mask (bad pixels are masked), sky level.
struct OpenMaps {
  std::optional<OpenMap> weights, mask, level;

  /// FitsImage::require_unchanged() of all of them.
  void require_unchanged() const;
};

/// Opens the maps of a frame. Of a map with several planes, the plane with the number of the frame's first plane is
/// used. Throws Error{input} that begins with the place of the key:
/// - a map cannot be read, is the image itself, or has another shape
/// - the mask lacks one of mask.bits
OpenMaps open_maps(const SelectedMaps& selected, const std::string& path, const OpenFrame& frame, const Config& config);

/// The frame with its maps. The sky level may also be a number from the configuration.
Exposure exposure_of(const OpenFrame& frame, const OpenMaps& maps, const Config& config);

/// A map of flags, opened.
struct OpenFlags {
  OpenMap map;
  FlagMap flags;
};

/// Opens flag maps as open_maps() does, in the order of `selected`. Also throws Error{input} if a map holds no flags,
/// or lacks one of flags.bits.
std::vector<OpenFlags> open_flags(const std::vector<SelectedMap>& selected, const std::string& path,
                                  const OpenFrame& frame, const Config& config);

}  // namespace srcextract
