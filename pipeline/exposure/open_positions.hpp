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
  bool by_sky = false;                      ///< the image's WCS gave the places
  std::vector<ForcedPosition> places = {};  ///< in pixels of the image

  ForcedPositions forced() const { return {places, !list.a.empty()}; }
  /// How many positions are outside the image.
  std::int64_t outside(const Shape& shape) const;
};

/// Finds the list's positions in the image `name` with that header: by sky positions where list and image have them,
/// else by pixels. Throws Error{input} if the list has no pixel positions and the image no usable WCS. `list` must
/// outlive the result.
OpenPositions place_positions(const PositionList& list, const std::string& header, const std::string& name,
                              const Cpu& where = {});

/// Fills the measured rows from the list: NUMBER, positions as the list writes them, and ellipses. If the list has no
/// ellipses, rows get the first aperture, which regions and pictures show. NPIX becomes 0, and BACKGROUND is undefined
/// outside the image.
void name_positions(const OpenPositions& positions, const Shape& shape, const Config& config, Sources& sources);

/// If positions were found by their sky coordinates, overwrites the rows' sky positions with the list's, which the WCS
/// did not round.
void name_sky_positions(const OpenPositions& positions, Sources& sources);

}  // namespace srcextract
