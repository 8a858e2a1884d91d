#pragma once

#include <cstdint>

namespace srcextract {

enum class MorphologicalOperation { none, erosion, opening };
enum class StructuringElement { cross, square };

/// Morphological cleaning of pixels above the threshold.
struct MorphologyConfig {
  MorphologicalOperation operation = MorphologicalOperation::none;
  /// cross: the pixel and the 4 that share a side with it. square: also the 4 that share a corner.
  StructuringElement element = StructuringElement::cross;
  std::int64_t iterations = 1;

  bool operator==(const MorphologyConfig&) const = default;
};

}  // namespace srcextract
