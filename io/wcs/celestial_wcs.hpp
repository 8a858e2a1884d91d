#pragma once

#include <string>

#include "io/wcs/fill_wcsprm.hpp"

namespace srcextract {

/// The celestial WCS of an image, on its first two axes and ready for wcslib; or the reason why there is none.
/// wcslib writes into a description what goes wrong: threads cannot share one.
struct CelestialWcs {
  WcsPointer wcs;
  std::string reason;

  /// Positions are galactic; else they are J2000: ICRS, or FK5 of equinox 2000, which count as one.
  bool galactic() const;
};

/// The WCS of a FITS header (80-column cards). The reason is no_celestial_wcs (io/wcs/wcs.hpp) if it describes no sky.
CelestialWcs parse_celestial_wcs(const std::string& header);

/// Degrees. Longitudes may come out below 0.
void galactic_to_icrs(double& longitude, double& latitude);
void icrs_to_galactic(double& longitude, double& latitude);

}  // namespace srcextract
