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

/// Whether an axis type refers to the sky, correctly or not.
bool is_celestial(const CelestialKeywords& keywords);

/// Describes the two celestial axes for wcslib, from checked values: wcslib sees no card of a file. The caller runs
/// wcsset(). Cards mean what they mean to astropy.wcs, with one exception for older programs. Parameters PVi_m of a
/// plain TAN projection are SCAMP's polynomial (TPV) if they form one; otherwise those of the latitude axis are
/// ignored. Beside SIP they are always ignored. Throws Error{input} with the reason if there is no description: no
/// celestial projection, a distortion of one axis only, two distortions, values out of range.
WcsPointer fill_wcsprm(const CelestialKeywords& keywords);

}  // namespace srcextract
