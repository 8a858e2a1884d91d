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

/// An open map with a value for each pixel of a frame: its noise (weights), its mask, its sky level, or its flags.
struct OpenMap {
  std::string path;
  FitsImage image;
  std::int64_t plane;
  PixelSource pixels;

  std::uint32_t datasum() const { return image.datasum(plane); }
  void forget_reads() const { image.forget_reads(plane); }
};

/// The open maps of a frame; nullopt where there is none. In `mask`, bad pixels are masked.
struct OpenMaps {
  std::optional<OpenMap> weights, mask, level;

  /// Calls FitsImage::forget_reads() for all maps.
  void forget_reads() const;
  /// Calls FitsImage::require_unchanged() for all maps.
  void require_unchanged() const;
};

/// Opens the maps of a frame. In a map with several planes, the plane with the number of the frame's first plane is
/// used. `path`: file of the frame. Throws Error{input} that begins with the place of the key:
/// - if a map cannot be read, is the image itself, or has another shape
/// - if the mask has no bit that mask.bits names
OpenMaps open_maps(const SelectedMaps& selected, const std::string& path, const OpenFrame& frame, const Config& config);

/// The frame with its maps as the input of the stages. The sky level may also be a number in the configuration.
Exposure exposure_of(const OpenFrame& frame, const OpenMaps& maps, const Config& config);

/// An open map of flags.
struct OpenFlags {
  OpenMap map;
  FlagMap flags;
};

/// Opens maps of flags in the order of `selected`, as open_maps() does. Also throws Error{input} if the pixels of a map
/// cannot be flags, or if the map has no bit that flags.bits names.
std::vector<OpenFlags> open_flags(const std::vector<SelectedMap>& selected, const std::string& path,
                                  const OpenFrame& frame, const Config& config);

}  // namespace srcextract
