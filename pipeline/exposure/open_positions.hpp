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

/// The positions of a list in one image.
struct OpenPositions {
  const PositionList& list;
  bool by_sky = false;                      ///< whether `places` were computed from sky positions with the image's WCS
  std::vector<ForcedPosition> places = {};  ///< in pixels of the image, from 0

  ForcedPositions forced() const { return {places, !list.a.empty()}; }
  /// Number of positions outside the image.
  std::int64_t outside(const Shape& shape) const;
};

/// Finds the positions of a list in the image `name` with the given header: from sky positions if both the list and the
/// image's WCS allow that, else from pixel positions. Throws Error{input} if the list has no pixel positions and the
/// image no usable WCS. `list` must outlive the result.
OpenPositions place_positions(const PositionList& list, const std::string& header, const std::string& name,
                              const Cpu& where = {});

/// Fills columns of the measured rows from the list: NUMBER, pixel positions, and ellipses. Pixel positions are those
/// of the list, or come from its sky positions if OpenPositions::by_sky. Without ellipses in the list, rows get a
/// circle, so that region files and pictures show the first aperture. NPIX is set to 0, and BACKGROUND is undefined
/// outside the image. Clears the flag at_edge, unless all stars were fitted at once.
void name_positions(const OpenPositions& positions, const Shape& shape, const Config& config, Sources& sources);

/// Overwrites the sky positions of the rows with those of the list, which have no rounding errors of the WCS. Does
/// nothing if the positions in the image come from pixel positions of the list.
void name_sky_positions(const OpenPositions& positions, Sources& sources);

}  // namespace srcextract
