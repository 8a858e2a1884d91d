#pragma once

#include <string>

#include "io/wcs/fill_wcsprm.hpp"

namespace srcextract {

/// The celestial WCS of the first two axes of an image, set up for wcslib, or the reason why there is none. Each thread
/// needs its own object, since wcslib writes error messages into the struct.
struct CelestialWcs {
  WcsPointer wcs;
  std::string reason;

  /// Returns true if the WCS gives galactic coordinates. Else positions are J2000: ICRS or FK5 of equinox 2000, which
  /// are treated as equal.
  bool galactic() const;
};

/// Reads the celestial WCS of a FITS header (80-column cards). The reason is no_celestial_wcs (io/wcs/wcs.hpp) if the
/// header describes no celestial axes.
CelestialWcs parse_celestial_wcs(const std::string& header);

/// Convert a position in degrees in place. The new longitude is in [-180, 180].
void galactic_to_icrs(double& longitude, double& latitude);
void icrs_to_galactic(double& longitude, double& latitude);

}  // namespace srcextract
