#pragma once

#include <vector>

#include "tests/truth/oracle/object.hpp"

namespace srcextract::oracle {

/// Convolves image and variances with the kernel as it is written, without turning it over: zeros beyond the edges, not
/// normalised again; sums in float, in the kernel's order.
void filter(Field& field);

/// The pixels that are brighter than their threshold (not equal to it), row after row.
std::vector<Pixel> threshold(const Field& field, const Settings& settings);

/// Pixels that touch, at a side or a corner, in the order in which SExtractor joins them.
struct Component {
  std::vector<Pixel> pixels;
  int last_row = 0, last_column = 0;  ///< where it ends: its lowest row, and the last pixel there
};

/// The connected sets of pixels that are given row after row, in the order in which they end.
std::vector<Component> connect(const std::vector<Pixel>& pixels);

}  // namespace srcextract::oracle
