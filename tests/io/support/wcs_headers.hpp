#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/wcs/wcs.hpp"
#include "tests/io/support/header_cards.hpp"

namespace srcextract::testing {

/// Places in the image, and on the sky.
struct Places {
  std::vector<double> x, y;
  std::vector<double> alpha = {}, delta = {};
  bool sky = false;  ///< the image has a sky
};

inline Places at(const std::vector<std::pair<double, double>>& positions) {
  Places places;
  for (auto [x, y] : positions) {
    places.x.push_back(x);
    places.y.push_back(y);
  }
  return places;
}

/// Finds places on the sky. Returns the reason if there is none.
inline std::string find_places(const std::string& header, Places& places, const Cpu& where = {}) {
  std::vector<SkyPosition> found;
  std::string reason = find_on_sky(header, places.x, places.y, found, where);
  places.sky = reason.empty();
  places.alpha.clear();
  places.delta.clear();
  if (!places.sky) return reason;
  for (const SkyPosition& at : found) {
    places.alpha.push_back(at.alpha);
    places.delta.push_back(at.delta);
  }
  return reason;
}

inline const std::vector<std::pair<double, double>> pixels = {{1.0, 1.0}, {317.25, 91.5}, {100.0, 230.75}};

/// A plain TAN image, with cards to spoil or extend it.
inline HeaderPairs tan(const HeaderPairs& more) {
  HeaderPairs out = {"CRVAL1=12.5", "CRVAL2=60.25", "CRPIX1=100", "CRPIX2=120", "CDELT1=-0.01", "CDELT2=0.012"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}
inline HeaderPairs equatorial(const HeaderPairs& more) {
  HeaderPairs out = tan({"CTYPE1='RA---TAN'", "CTYPE2='DEC--TAN'"});
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace srcextract::testing
