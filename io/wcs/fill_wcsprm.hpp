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

/// Returns true if a CTYPE names a coordinate of the sky, also if CTYPE is invalid.
bool is_celestial(const CelestialKeywords& keywords);

/// Describes the two celestial axes for wcslib. Only checked values are passed on, no card of a file. The caller runs
/// wcsset(). Cards have the meaning that astropy.wcs gives them, except for PVi_m of a plain TAN projection, which
/// older programs wrote. If these form SCAMP's polynomial (TPV), they are read as TPV, else those of the latitude axis
/// are ignored. With SIP all PVi_m of TAN are ignored; with another projection they are an error. Throws Error{input}
/// with the reason if there is no celestial projection, a distortion of only one axis, two distortions, PVi_m that
/// programs read differently, or a value out of range.
WcsPointer fill_wcsprm(const CelestialKeywords& keywords);

}  // namespace srcextract
