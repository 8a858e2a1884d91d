#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/exposure/position_list.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// The places of a list in one image.
struct OpenPositions {
  const PositionList& list;
  bool by_sky = false;                      ///< they were found through its WCS
  std::vector<ForcedPosition> places = {};  ///< in its pixels

  ForcedPositions forced() const { return {places, !list.a.empty()}; }
  /// How many are off it.
  std::int64_t outside(const Shape& shape) const;
};

/// Finds them in the image `name` of that header: on the sky where list and image have such positions, else by their
/// pixels. Throws Error{input} if the list has none in pixels and the image no WCS that can be used. `list` must
/// outlive what is returned.
OpenPositions place_positions(const PositionList& list, const std::string& header, const std::string& name,
                              const Cpu& where = {});

/// Gives rows that were measured there what the list says of them: NUMBER, positions as they stand in it, ellipses.
/// Where there is none, regions and pictures show the first aperture.
void name_positions(const OpenPositions& positions, const Shape& shape, const Config& config, Sources& sources);

/// The same of places that were found on the sky, once rows have such positions: as they stand in the list, not as the
/// WCS has them back.
void name_sky_positions(const OpenPositions& positions, Sources& sources);

}  // namespace srcextract
