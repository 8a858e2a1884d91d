#pragma once

#include "stages/catalogue/local_sky.hpp"

namespace srcextract {

/// The place in FK4, equinox B1950, of a place in FK5, equinox J2000, in degrees. The object has no motion in FK5, and
/// the epoch is J2000, as in SExtractor. Standish 1982, A&A 115, 20; Aoki et al. 1983, A&A 128, 263.
SkyPosition fk4_of(const SkyPosition& fk5);

}  // namespace srcextract
