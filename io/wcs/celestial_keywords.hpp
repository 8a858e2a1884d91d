#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header_values.hpp"

namespace srcextract {

/// The celestial WCS of the first two axes of a FITS header, as typed values. Left out are alternative descriptions
/// (CTYPE1A, ...), further axes, and cards without a value, which FITS counts as absent.
struct CelestialKeywords {
  /// One value per keyword, in the order of first occurrence. Numbers in quotes, such as EQUINOX in some files, become
  /// numbers.
  std::vector<HeaderValue> values;
  bool tied = false;  ///< matrix elements tie the two axes to others
  /// Why the values may not be the whole WCS; empty if they are. Reasons:
  /// - an unreadable value,
  /// - cards of a keyword that contradict each other,
  /// - a misspelt card,
  /// - an unsupported distortion.
  std::string problem;

  /// The value of a keyword; nothing, or an empty text, if it has none.
  std::optional<double> real(std::string_view keyword) const;
  std::string text(std::string_view keyword) const;
};

CelestialKeywords read_celestial_keywords(std::string_view header);

/// Returns the celestial WCS as 80-column cards without END; empty if the WCS is incomplete. A pixel of the new image
/// covers `width` x `height` pixels of the header's image. For sizes other than 1 x 1, a WCS with SIP gives no cards.
std::string celestial_cards(std::string_view header, std::int64_t width = 1, std::int64_t height = 1);

/// Whether a keyword belongs to the WCS of the first two axes, or describes axes beyond the second.
bool is_celestial_keyword(const std::string& name);

}  // namespace srcextract
