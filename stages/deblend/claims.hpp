#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/deblend/core_shape.hpp"

namespace srcextract {

/// Finds the core of an island to which a pixel outside of all cores goes.
///
/// The pixel goes to the core whose Gaussian is highest there: ln_amplitude - claim is largest, among the claims below
/// 70. If no claim is below 70, the core with the least claim gets the pixel. Of equal cores the first gets it. Many
/// cores are searched in a tree of their bounding boxes (Roussopoulos, Kelley & Vincent 1995, SIGMOD), so that time
/// does not grow with their number.
class Claims {
 public:
  explicit Claims(std::span<const CoreShape> cores);

  /// `likely` is the core to try first, such as the owner of the pixel before. A right guess saves time.
  std::int32_t owner_of(double x, double y, std::int32_t likely) const;

 private:
  struct Box {
    double x_least, x_most, y_least, y_most;
    double ln_amplitude;       ///< largest of the box's cores
    double least;              ///< smallest CoreShape::least of the box's cores
    std::int32_t first, last;  ///< places of the box's cores: [first, last) of cores_
    std::int32_t second;       ///< index of the second half; the first half is the next box; 0: no halves
  };
  class Search;

  struct Claimant {
    CoreShape shape;
    std::int32_t core;
  };

  std::int32_t add_box(std::int32_t first, std::int32_t last);

  std::vector<Claimant> cores_;      ///< the cores of a box are adjacent
  std::vector<std::int32_t> place_;  ///< per core: its index in cores_
  std::vector<Box> boxes_;           ///< boxes_[0] holds all cores; empty if there are few cores
};

}  // namespace srcextract
