#pragma once

#include <cstdint>
#include <string>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

/// The HDUs and the plane that are read from an image file.
struct InputConfig {
  HduNames hdu;
  /// Plane of a cube, counted from 1 through all axes after the second. 0: the first plane of Stokes I that has a valid
  /// pixel.
  std::int64_t plane = 1;
  /// Pixels without data that hold a number in place of NaN. auto: equal pixels that touch the edge, as a registered
  /// stack has them; keep: none; a number: every pixel of this value.
  std::string padding = "auto";

  bool operator==(const InputConfig&) const = default;
};

/// Which headers have their SIP terms applied. automatic and ctype: those whose CTYPE ends with -SIP, as in the FITS
/// convention; automatic warns of other headers with SIP terms. apply: all.
enum class SipTerms { automatic, ctype, apply };

/// How the WCS of the header is read.
struct WcsConfig {
  SipTerms sip = SipTerms::automatic;

  bool operator==(const WcsConfig&) const = default;
};

}  // namespace srcextract
