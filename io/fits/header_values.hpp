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

/// What a survey asks of every image: what it shows, when, in which light, for how long, and through what.
inline constexpr const char* usual_keywords[] = {"OBJECT", "DATE-OBS", "MJD-OBS", "FILTER", "EXPTIME",
                                                 "GAIN",   "AIRMASS",  "EXTNAME", "CCD"};

/// The usual keywords and `more`, each once, as far as they have a value in `header`, or else in the header of the
/// primary HDU, which extensions inherit unless they say INHERIT = F, or have a card of their own without a value: all
/// but EXTNAME. Headers are 80-column cards; of several cards of a keyword the first counts. A long text (CONTINUE) is
/// read up to its end.
std::vector<HeaderValue> header_values(std::string_view header, std::string_view primary,
                                       const std::vector<std::string>& more);

/// A finite number with the fewest digits that read back to the same bits, and always a point: FITS, YAML and Python
/// take it for a real number.
std::string format_real(double value);

/// The card, cut at the 68 characters of text that fit into one. A real number that is not finite is undefined.
std::string format_card(const HeaderValue& value, std::string_view comment = {});

}  // namespace srcextract
