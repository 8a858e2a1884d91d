#pragma once

#include <string>

#include "stages/core/image.hpp"
#include "stages/settings/input.hpp"

namespace srcextract {

/// A header that everyone reads alike, and a warning if programs read the original in two ways.
struct SettledHeader {
  std::string header;
  std::string warning;  ///< empty if there is nothing to tell
};

/// Decides once what SIP terms mean if no CTYPE ends with -SIP. SExtractor and the FITS convention ignore such terms,
/// and astropy applies them. With SipTerms::apply, the settled header has the suffix. Else it has no SIP terms, and
/// with SipTerms::automatic the warning names the terms and how far both readings are apart at the corners of `shape`.
/// Other headers stay as they are.
SettledHeader settle_sip(const std::string& header, const Shape& shape, SipTerms terms);

}  // namespace srcextract
