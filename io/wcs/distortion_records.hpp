#pragma once

#include <wcslib/wcs.h>

#include "io/wcs/distortion.hpp"

namespace srcextract {

/// Number of records to be allocated by wcsinit() for a distortion.
int count_records(const SipPolynomials& sip);
int count_records(const std::array<WatSurface, 2>& surfaces);

// Add a distortion to `wcs` after wcsinit(). The records have the form of the draft of Paper IV, which wcslib/dis.h
// describes. SIP is relative to the reference pixel wcs.crpix. Throw Error{memory}.
void set_sip(const SipPolynomials& sip, wcsprm& wcs);
void set_surfaces(const std::string& type, const std::array<WatSurface, 2>& surfaces, wcsprm& wcs);

}  // namespace srcextract
