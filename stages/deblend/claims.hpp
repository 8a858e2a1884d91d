#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/deblend/core_shape.hpp"

namespace srcextract {

/// Finds the core of an island that gets a given pixel outside of all cores.
///
/// The pixel goes to the core whose Gaussian is highest at the pixel: ln_amplitude - claim is largest, among cores with
/// a claim below 70. If no claim is below 70, the core with the least claim gets the pixel. The first of equal cores
/// gets the pixel. If an island has many cores, they are searched in a tree of their bounding boxes (Roussopoulos,
/// Kelley & Vincent 1995, SIGMOD).
class Claims {
 public:
  explicit Claims(std::span<const CoreShape> cores);

  /// Returns the index of the core that gets the pixel (x, y). `likely` is tried first, such as the core that got the
  /// previous pixel. A right guess saves time.
  std::int32_t owner_of(double x, double y, std::int32_t likely) const;

 private:
  struct Box {
    double x_least, x_most, y_least, y_most;
    double ln_amplitude;       ///< largest of the box's cores
    double least;              ///< smallest CoreShape::least of the box's cores
    std::int32_t first, last;  ///< range of the box's cores in cores_: [first, last)
    std::int32_t second;       ///< index of the box of the second half, the first half being the next box; 0: not split
  };
  class Search;

  struct Claimant {
    CoreShape shape;
    std::int32_t core;
  };

  std::int32_t add_box(std::int32_t first, std::int32_t last);

  std::vector<Claimant> cores_;      ///< the cores of a box are adjacent
  std::vector<std::int32_t> place_;  ///< per core: its index in cores_
  std::vector<Box> boxes_;           ///< boxes_[0] holds all cores; empty if cores are tried one by one
};

}  // namespace srcextract
