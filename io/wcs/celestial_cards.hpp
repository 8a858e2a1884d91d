#pragma once

#include <string>

namespace srcextract {

/// The celestial WCS of the first two axes of a FITS header, in 80-column cards without END. Alternative descriptions
/// (CTYPE1A, ...) and what is said of further axes are left out, and so is a card without a value: FITS counts it as
/// absent. There is one card a keyword, and a number that stands in quotes is without them.
struct CelestialCards {
  std::string cards;    ///< of the two axes alone
  std::string ties;     ///< matrix elements that tie the two axes to others
  std::string problem;  ///< why these are not the whole of the WCS; empty if they are
};

CelestialCards celestial_cards(const std::string& header);

}  // namespace srcextract
