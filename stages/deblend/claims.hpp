#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/deblend/core_shape.hpp"

namespace srcextract {

/// Which core of an island a pixel goes to that is in none.
///
/// It is the core of whose Gaussian there is most: ln_amplitude - claim is largest, among the claims below 70; or, if
/// there is none, the one of the least claim. Of equals it is the first. Where there are many cores they are looked for
/// in a tree of their bounding boxes (Roussopoulos, Kelley & Vincent 1995, SIGMOD), so that time does not grow with
/// their number.
class Claims {
 public:
  explicit Claims(std::span<const CoreShape> cores);

  /// `likely` is looked at first, which saves time if it is right: the owner of the pixel before.
  std::int32_t owner_of(double x, double y, std::int32_t likely) const;

 private:
  struct Box {
    double x_least, x_most, y_least, y_most;
    double ln_amplitude;       ///< the most
    double least;              ///< the least of them
    std::int32_t first, last;  ///< the cores in it
    std::int32_t second;       ///< of its halves; the first comes next; 0: it has none
  };
  class Search;

  struct Claimant {
    CoreShape shape;
    std::int32_t core;
  };

  std::int32_t add_box(std::int32_t first, std::int32_t last);

  std::vector<Claimant> cores_;      ///< those of a box side by side
  std::vector<std::int32_t> place_;  ///< of every core among them
  std::vector<Box> boxes_;           ///< the first has all; none: there are few cores
};

}  // namespace srcextract
