#pragma once

#include <array>
#include <optional>
#include <string>

#include "stages/catalogue/local_sky.hpp"

namespace srcextract {

/// A celestial coordinate system: its axes, as directions in J2000, and whether positions include the elliptic terms of
/// aberration (FK4). The default is J2000 itself; ICRS and FK5 of equinox 2000 are treated as equal.
struct SkySystem {
  bool is_j2000 = true, elliptic = false;
  std::array<std::array<double, 3>, 3> axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

  bool operator==(const SkySystem&) const = default;
};

/// Returns the system of two axes of a WCS, such as "RA, DEC" or "GLON, GLAT", or nothing for a system that is not
/// known. `radesys` may be ICRS, FK5, FK4 or FK4-NO-E. Besides equatorial coordinates of any equinox there are
/// galactic, supergalactic and ecliptic ones. FK4 is taken at the epoch of its equinox, as astropy does.
std::optional<SkySystem> sky_frame(const std::string& axes, const std::string& radesys, double equinox);

/// Convert a position in degrees in place. If it changes, the new longitude is in [-180, 180].
void to_j2000(const SkySystem& frame, double& longitude, double& latitude);
void from_j2000(const SkySystem& frame, double& longitude, double& latitude);

/// Converts a position in FK5, equinox J2000, to FK4, equinox B1950; both in degrees. As in SExtractor, the object has
/// no proper motion in FK5, and the epoch is J2000.
SkyPosition fk4_of(const SkyPosition& fk5);

}  // namespace srcextract
