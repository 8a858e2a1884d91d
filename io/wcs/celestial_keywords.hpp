#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header_values.hpp"

namespace srcextract {

/// The celestial WCS of the first two axes of a FITS header, as typed values. Alternative descriptions (CTYPE1A, ...)
/// and what is said of further axes are left out, and so is a card without a value: FITS counts it as absent.
struct CelestialKeywords {
  /// One a keyword, in the order in which they first come. Some programs write numbers in quotes, EQUINOX above all:
  /// here they are numbers.
  std::vector<HeaderValue> values;
  bool tied = false;  ///< matrix elements tie the two axes to others
  /// Why these are not the whole of the WCS, or not for sure: a value that cannot be read, cards of a keyword that
  /// contradict one another, one that is not as the standard has it, a distortion that is not supported. Empty if they
  /// are.
  std::string problem;

  /// Nothing, or an empty text, if there is no value.
  std::optional<double> real(std::string_view keyword) const;
  std::string text(std::string_view keyword) const;
};

CelestialKeywords read_celestial_keywords(std::string_view header);

/// The values in 80-column cards without END; none if they are not the whole of the WCS. Of an image whose pixels are
/// so many pixels of the header's wide and high; none with SIP then, unless they are the header's.
std::string celestial_cards(std::string_view header, std::int64_t width = 1, std::int64_t height = 1);

/// Whether a keyword is of the WCS of the first two axes, or says something of further ones.
bool is_celestial_keyword(const std::string& name);

}  // namespace srcextract
