#pragma once

#include <wcslib/wcs.h>

#include <memory>

#include "io/wcs/celestial_keywords.hpp"

namespace srcextract {

struct FreeWcs {
  void operator()(wcsprm* wcs) const {
    wcsfree(wcs);
    delete wcs;
  }
};
using WcsPointer = std::unique_ptr<wcsprm, FreeWcs>;

/// Whether the type of one of the axes says that it is one of the sky, well or not.
bool is_celestial(const CelestialKeywords& keywords);

/// The description of the two axes for wcslib, filled from values that were read and checked here: no card of a file
/// comes to wcslib. To be set up by wcsset().
///
/// It means what it means to astropy.wcs, but for what older programs wrote: parameters PVi_m of a plain TAN projection
/// are SCAMP's polynomial (TPV) if they make one, and meaningless otherwise. Beside SIP they count for nothing.
///
/// Throws Error{input} that says why there is no such description: no celestial projection, a distortion of one axis
/// alone, two distortions at once, values out of range.
WcsPointer fill_wcsprm(const CelestialKeywords& keywords);

}  // namespace srcextract
