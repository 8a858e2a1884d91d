#pragma once

#include <cstdint>

namespace srcextract {

enum class MorphologicalOperation { none, erosion, opening };
enum class StructuringElement { cross, square };

/// Morphological erosion or opening of the set of pixels above the threshold.
struct MorphologyConfig {
  MorphologicalOperation operation = MorphologicalOperation::none;
  /// cross: the pixel and the 4 pixels that share a side with it. square: also the 4 pixels that share a corner with
  /// it.
  StructuringElement element = StructuringElement::cross;
  std::int64_t iterations = 1;

  bool operator==(const MorphologyConfig&) const = default;
};

}  // namespace srcextract
