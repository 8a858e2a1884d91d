#pragma once

#include "stages/catalogue/local_sky.hpp"

namespace srcextract {

/// Converts a position in FK5, equinox J2000, to FK4, equinox B1950; both in degrees. As in SExtractor, the object has
/// no proper motion in FK5, and the epoch is J2000. From Standish 1982, A&A 115, 20, and Aoki et al. 1983, A&A 128,
/// 263.
SkyPosition fk4_of(const SkyPosition& fk5);

}  // namespace srcextract
