#pragma once

#include <wcslib/wcs.h>

#include "io/wcs/distortion.hpp"

namespace srcextract {

/// Number of records for wcsinit().
int count_records(const SipPolynomials& sip);
int count_records(const std::array<WatSurface, 2>& surfaces);

// Add a distortion to `wcs` after wcsinit(). The records follow the draft of Paper IV, as in wcslib/dis.h. SIP is
// relative to the reference pixel `crpix`. Throw Error{memory}.
void set_sip(const SipPolynomials& sip, wcsprm& wcs);
void set_surfaces(const std::string& type, const std::array<WatSurface, 2>& surfaces, wcsprm& wcs);

}  // namespace srcextract
