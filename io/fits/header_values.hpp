#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/fits/card.hpp"

namespace srcextract {

/// A keyword of a FITS header with its value.
struct HeaderValue {
  std::string keyword;
  KeywordValue value;

  bool operator==(const HeaderValue&) const = default;
};

/// Keywords that catalogues take over from every header that has a value for them. output.header_keywords adds others.
inline constexpr const char* usual_keywords[] = {"OBJECT", "DATE-OBS", "MJD-OBS", "FILTER", "EXPTIME",
                                                 "GAIN",   "AIRMASS",  "EXTNAME", "CCD"};

/// Returns the usual keywords and `more`, each once, with their values, if they have any. A value comes from `header`,
/// or else by inheritance from `primary`, the primary header. Inheritance does not apply:
/// - to an extension with INHERIT = F,
/// - to a keyword whose own card has no value,
/// - to EXTNAME.
/// Headers are 80-column cards; of several cards of a keyword the first counts. A long text (CONTINUE) is read up to
/// its end.
std::vector<HeaderValue> header_values(std::string_view header, std::string_view primary,
                                       const std::vector<std::string>& more);

/// The shortest decimal that reads back to the same bits, always with a point, so that FITS, YAML and Python read a
/// real number.
std::string format_real(double value);

/// The card of a value; text is cut at 68 characters. A real number that is not finite becomes an undefined value.
std::string format_card(const HeaderValue& value, std::string_view comment = {});

}  // namespace srcextract
