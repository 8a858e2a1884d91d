#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/exposure/map_pairs.hpp"
#include "pipeline/exposure/open_frame.hpp"
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

/// Opens the map of weights `selected` for a frame; nothing if there is none. Of a cube it is the plane input.plane.
/// Throws Error{input} that begins with the place of the key if the map cannot be read, is the image itself, or has
/// another shape.
std::optional<OpenMap> open_weights(const SelectedMap& selected, const std::string& path, const OpenFrame& frame,
                                    const Config& config);

/// The same of the sky's level.
std::optional<OpenMap> open_level(const SelectedMap& selected, const std::string& path, const OpenFrame& frame,
                                  const Config& config);

/// The same of a mask; its pixels are masked where they are bad, or Error{input} if it lacks one of mask.bits.
std::optional<OpenMap> open_mask(const SelectedMap& selected, const std::string& path, const OpenFrame& frame,
                                 const Config& config);

/// A map of flags, opened.
struct OpenFlags {
  OpenMap map;
  FlagMap flags;
};

/// The same of the maps of flags, in their order; Error{input} also if one holds none, or lacks one of flags.bits.
std::vector<OpenFlags> open_flags(const std::vector<SelectedMap>& selected, const std::string& path,
                                  const OpenFrame& frame, const Config& config);

}  // namespace srcextract
