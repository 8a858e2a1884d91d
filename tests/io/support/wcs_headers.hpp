#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/wcs/wcs.hpp"
#include "tests/io/support/header_cards.hpp"

namespace srcextract::testing {

inline Sources at(const std::vector<std::pair<double, double>>& positions) {
  Sources sources;
  for (auto [x, y] : positions) {
    sources.number.push_back(static_cast<std::int32_t>(sources.number.size() + 1));
    sources.x_image.push_back(x);
    sources.y_image.push_back(y);
  }
  return sources;
}

inline const std::vector<std::pair<double, double>> pixels = {{1.0, 1.0}, {317.25, 91.5}, {100.0, 230.75}};

/// A plain TAN image, with cards to spoil or extend it.
inline Cards tan(const Cards& more) {
  Cards out = {"CRVAL1=12.5", "CRVAL2=60.25", "CRPIX1=100", "CRPIX2=120", "CDELT1=-0.01", "CDELT2=0.012"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}
inline Cards equatorial(const Cards& more) {
  Cards out = tan({"CTYPE1='RA---TAN'", "CTYPE2='DEC--TAN'"});
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace srcextract::testing
