#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header_values.hpp"

namespace srcextract {

/// The end of CTYPE by which a header says that it has SIP.
inline constexpr std::string_view sip_suffix = "-SIP";

/// The celestial WCS of the first two axes of a FITS header, as typed values. Alternative descriptions (CTYPE1A, ...)
/// and further axes are left out, and cards without a value, which FITS treats as absent. SIP is left out unless a
/// CTYPE ends with -SIP (io/wcs/settle_sip.hpp).
struct CelestialKeywords {
  /// One value per keyword, in the order of first occurrence. A number in quotes becomes a number, and so does
  /// an equinox with its letter ('J2000').
  std::vector<HeaderValue> values;
  bool tied = false;  ///< true if elements of the matrix mix the first two axes with others
  /// Reason why the values may not be the whole WCS; empty if there is no such reason. Reasons are:
  /// - an unreadable value,
  /// - cards of a keyword that contradict each other,
  /// - a misspelt card, or a matrix element in an old form (CD001001),
  /// - an unsupported distortion.
  std::string problem;

  /// Return the value of a keyword. If it has none, real() returns nothing and text() an empty text.
  std::optional<double> real(std::string_view keyword) const;
  std::string text(std::string_view keyword) const;
};

CelestialKeywords read_celestial_keywords(std::string_view header);

/// Whether a number can be the year of an equinox. Programs write 0, -999 or a Julian date where they know none.
bool is_year(double equinox);

/// Returns the celestial WCS as 80-column cards without END; empty if the WCS is incomplete. The result describes an
/// image whose pixels cover `width` x `height` pixels of the header's image. For sizes other than 1 x 1, the result is
/// empty if the WCS has SIP.
std::string celestial_cards(std::string_view header, std::int64_t width = 1, std::int64_t height = 1);

/// Returns true if a keyword belongs to SIP.
bool is_sip_keyword(const std::string& name);

/// Returns true if a keyword belongs to the WCS of the first two axes, or describes axes beyond the second.
bool is_celestial_keyword(const std::string& name);

}  // namespace srcextract
