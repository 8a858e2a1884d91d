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

/// A map that says something of every pixel of a frame, opened: how noisy it is, or whether it is of use.
struct OpenMap {
  std::string path;
  FitsImage image;
  std::int64_t plane;
  PixelSource pixels;

  std::uint32_t datasum() const { return image.datasum(plane); }
};

/// The maps that are read with a frame, as far as there are any: its weights, its mask, whose pixels are masked where
/// they are bad, and the level of its sky.
struct OpenMaps {
  std::optional<OpenMap> weights, mask, level;

  /// FitsImage::require_unchanged() of all of them.
  void require_unchanged() const;
};

/// Opens them for a frame. Of a cube it is the plane input.plane. Throws Error{input} that begins with the place of the
/// key if a map cannot be read, is the image itself, or has another shape, or if the mask lacks one of mask.bits.
OpenMaps open_maps(const SelectedMaps& selected, const std::string& path, const OpenFrame& frame, const Config& config);

/// The frame with them, or with the level of the sky that the configuration gives as a number.
Exposure exposure_of(const OpenFrame& frame, const OpenMaps& maps, const Config& config);

/// A map of flags, opened.
struct OpenFlags {
  OpenMap map;
  FlagMap flags;
};

/// Opens the maps of flags like those, in their order; Error{input} also if one holds none, or lacks one of flags.bits.
std::vector<OpenFlags> open_flags(const std::vector<SelectedMap>& selected, const std::string& path,
                                  const OpenFrame& frame, const Config& config);

}  // namespace srcextract
