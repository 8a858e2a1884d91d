#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/fits/card.hpp"

namespace srcextract {

struct HeaderValue {
  std::string keyword;
  KeywordValue value;

  bool operator==(const HeaderValue&) const = default;
};

/// The value of a keyword; null if `header` lacks the keyword.
const KeywordValue* value_in(const std::vector<HeaderValue>& header, std::string_view keyword);

/// Keywords that FITS, ECSV, VOTable and Parquet catalogues copy from the image header if they have a value there. The
/// configuration key output.header_keywords adds others.
inline constexpr const char* usual_keywords[] = {"OBJECT", "DATE-OBS", "MJD-OBS", "FILTER", "EXPTIME",
                                                 "GAIN",   "AIRMASS",  "EXTNAME", "CCD"};

/// Returns the usual keywords and `more`, each once, with their values; keywords without a value are left out. A value
/// comes from `header`, or else by inheritance from `primary`, the primary header. A value is not inherited:
/// - by an extension with INHERIT = F,
/// - if the extension has a card of the keyword without a value,
/// - for EXTNAME.
///
/// Both headers are texts of 80-column cards. If a keyword has several cards, the first counts. A text that goes on in
/// CONTINUE cards is read whole.
std::vector<HeaderValue> header_values(std::string_view header, std::string_view primary,
                                       const std::vector<std::string>& more);

/// Returns the shortest decimal number that reads back to the same double. The number always has a decimal point, so
/// that FITS, YAML and Python readers take it for a real number.
std::string format_real(double value);

/// Returns an 80-column card with the value. A text is cut at 68 characters. A real number that is not finite gives a
/// card without a value.
std::string format_card(const HeaderValue& value, std::string_view comment = {});

}  // namespace srcextract
