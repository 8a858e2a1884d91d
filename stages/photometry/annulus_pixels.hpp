#pragma once

#include <cstdint>

#include "stages/core/masked_pixel.hpp"
#include "stages/photometry/photometry_image.hpp"
#include "stages/photometry/pixel_keys.hpp"

namespace srcextract {

/// Selects the pixels of an annulus about (cx, cy) that are neither masked nor part of a source. inner_square and
/// outer_square are the squared radii.
struct AnnulusPixels {
  const PhotometryImage& image;
  double cx, cy;
  double inner_square, outer_square;

  /// Fills a KeyBlock with the Width pixels of row y from column x on. Only the first `count` pixels are in the box;
  /// the others are never selected.
  template <int Width>
  SRCEXTRACT_HOST_DEVICE void operator()(std::int32_t x, std::int32_t y, int count, KeyBlock<Width>& block) const {
    block.any = 0;
    const double dy2 = (y - cy) * (y - cy);
    for (int i = 0; i < Width; ++i) {
      const double square = (x + i - cx) * (x + i - cx) + dy2;
      block.wanted[i] = (i < count ? 1 : 0) & (square >= inner_square ? 1 : 0) & (square < outer_square ? 1 : 0);
      block.any |= block.wanted[i];
    }
    if (block.any == 0) return;
    const std::int64_t here = image.at(x, y);
    for (int i = 0; i < Width; ++i) {
      block.wanted[i] &= i < count && image.is_bad(here + i) ? 0 : 1;
      const float pixel = i < count ? image.pixels[here + i] : 0.0F;
      block.key[i] = key_of_pixel(pixel);
    }
    if (image.owner != nullptr)
      for (int i = 0; i < Width; ++i) block.wanted[i] &= i < count && image.owner[here + i] > nobodys_pixel ? 0 : 1;
  }
};

}  // namespace srcextract
