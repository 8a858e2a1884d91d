#pragma once

#include <string>

#include "io/wcs/fill_wcsprm.hpp"

namespace srcextract {

/// The celestial WCS of an image's first two axes, ready for wcslib, or the reason why there is none. Threads cannot
/// share one, since wcslib writes errors into it.
struct CelestialWcs {
  WcsPointer wcs;
  std::string reason;

  /// True if positions are galactic. Otherwise they are J2000: ICRS or FK5 of equinox 2000, which count as equal.
  bool galactic() const;
};

/// The WCS of a FITS header (80-column cards). The reason is no_celestial_wcs (io/wcs/wcs.hpp) if the header has no
/// sky.
CelestialWcs parse_celestial_wcs(const std::string& header);

/// Convert a position in degrees, in place. The new longitude is within [-180, 180].
void galactic_to_icrs(double& longitude, double& latitude);
void icrs_to_galactic(double& longitude, double& latitude);

}  // namespace srcextract
