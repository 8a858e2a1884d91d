#pragma once

#include <string>

#include "io/wcs/fill_wcsprm.hpp"
#include "io/wcs/sky_frame.hpp"

namespace srcextract {

/// The celestial WCS of the first two axes of an image, set up for wcslib, or the reason why there is none. Each thread
/// needs its own object, since wcslib writes error messages into the struct.
struct CelestialWcs {
  WcsPointer wcs;
  std::string reason;
  SkySystem frame = {};  ///< the system of its coordinates
};

/// Reads the celestial WCS of a FITS header (80-column cards). The reason is no_celestial_wcs (io/wcs/wcs.hpp) if the
/// header describes no celestial axes.
CelestialWcs parse_celestial_wcs(const std::string& header);

}  // namespace srcextract
