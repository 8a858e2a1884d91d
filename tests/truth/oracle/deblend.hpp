#pragma once

#include <vector>

#include "tests/truth/oracle/detect.hpp"

namespace srcextract::oracle {

/// A part of a connected set that is a source by itself, over the highest threshold at which it is one with nothing
/// else.
struct Core {
  std::vector<Pixel> pixels;
  float threshold;  ///< the level at which it stands apart
};

/// Cuts a connected set at levels between its threshold and its peak, which grow by a factor, and finds the branches of
/// the tree of its parts that hold enough of its flux; none where it is one source.
std::vector<Core> find_cores(const Component& component, float threshold, const Settings& settings);

/// Which core each pixel of the set belongs to: those that are in none go to one of them by chance (std::rand, once for
/// each pixel in the order of the set), weighted by, or to the one with, the highest of the Gaussians of the cores. The
/// pixels of each core come first, in their own order.
std::vector<Object> share_pixels(const Component& component, const std::vector<Core>& cores, float threshold,
                                 bool weighted, const Settings& settings);

}  // namespace srcextract::oracle
