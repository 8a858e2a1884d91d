#pragma once

#include <wcslib/wcs.h>

#include "io/wcs/distortion.hpp"

namespace srcextract {

/// How many records the distortions need, which wcsinit() has to know.
int count_records(const SipPolynomials& sip);
int count_records(const std::array<WatSurface, 2>& surfaces);

// Give a description that wcsinit() has made the distortion, in the records of the draft of Paper IV that wcslib keeps
// for it (wcslib/dis.h). SIP is about the reference pixel `crpix`. Throw Error{memory}.
void set_sip(const SipPolynomials& sip, wcsprm& wcs);
void set_surfaces(const std::string& type, const std::array<WatSurface, 2>& surfaces, wcsprm& wcs);

}  // namespace srcextract
