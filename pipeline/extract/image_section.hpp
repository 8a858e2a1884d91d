#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stages/core/image.hpp"

namespace srcextract {

/// A section of an image as IRAF writes it, [x1:x2,y1:y2]: first and last column and row, from 1.
struct ImageSection {
  std::int64_t left = 0, right = 0, bottom = 0, top = 0;

  bool inside(const Shape& shape) const {
    return left >= 1 && bottom >= 1 && right <= shape.width && top <= shape.height;
  }
  std::int64_t count() const { return (right - left + 1) * (top - bottom + 1); }
};

/// Reads a section; nothing if the text is none. A section with a step, as after binning, counts as none.
std::optional<ImageSection> section_in(std::string text);

}  // namespace srcextract
