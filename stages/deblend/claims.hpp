#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/deblend/core_shape.hpp"

namespace srcextract {

/// Decides which core of an island gets a given pixel outside of all cores. An island is a connected set of foreground
/// pixels; a core is a part of an island that becomes a source.
///
/// The pixel goes to the core whose Gaussian is highest at the pixel: ln_amplitude - claim (CoreShape) is largest,
/// among cores whose claim is below 70. If no claim is below 70, the core with the least claim gets the pixel. If cores
/// are equal, the core of lower index gets the pixel. If an island has many cores, the cores are searched in a tree of
/// their bounding boxes (Roussopoulos, Kelley & Vincent 1995, SIGMOD).
class Claims {
 public:
  explicit Claims(std::span<const CoreShape> cores);

  /// Returns the index of the core that gets the pixel (x, y). The core `likely` is tried first, for example the core
  /// that got the previous pixel. The result does not depend on `likely`, but a correct guess saves time.
  std::int32_t owner_of(double x, double y, std::int32_t likely) const;

 private:
  struct Box {
    double x_least, x_most, y_least, y_most;
    double ln_amplitude;       ///< largest CoreShape::ln_amplitude of the box's cores
    double least;              ///< smallest CoreShape::least of the box's cores
    std::int32_t first, last;  ///< range of the box's cores in cores_: [first, last)
    /// Index of the box around the second half of the cores. The box around the first half follows this box. 0 if the
    /// box is not divided.
    std::int32_t second;
  };
  class Search;

  struct Claimant {
    CoreShape shape;
    std::int32_t core;
  };

  std::int32_t add_box(std::int32_t first, std::int32_t last);

  std::vector<Claimant> cores_;      ///< the cores of a box are adjacent
  std::vector<std::int32_t> place_;  ///< per core, in the constructor's order: its index in cores_
  std::vector<Box> boxes_;  ///< boxes_[0] contains all cores; empty if the island has so few cores that all are tried
};

}  // namespace srcextract
