#pragma once

#include <string>
#include <vector>

namespace srcextract::testing {

using HeaderPairs = std::vector<std::string>;

inline std::string card(const std::string& text) {
  std::string out = text;
  out.resize(80, ' ');
  return out;
}

/// "NAME=value" pairs as the header of a float image of 2048 x 2048 pixels.
inline std::string header(const HeaderPairs& pairs, int naxis = 2) {
  std::string out = card("SIMPLE  =                    T") + card("BITPIX  =                  -32");
  out += card("NAXIS   =                    " + std::to_string(naxis));
  out += card("NAXIS1  =                 2048") + card("NAXIS2  =                 2048");
  for (int axis = 3; axis <= naxis; ++axis) out += card("NAXIS" + std::to_string(axis) + "  =                    1");
  for (const std::string& pair : pairs) {
    std::string name = pair.substr(0, pair.find('='));
    name.resize(8, ' ');
    out += card(name + "= " + pair.substr(pair.find('=') + 1));
  }
  return out + card("END");
}

}  // namespace srcextract::testing
