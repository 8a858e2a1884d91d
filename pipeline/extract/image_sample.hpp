#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Evenly spread rows of an image, read a second time on the host, for statistics that back ends do not return. Not for
/// combined planes or differences.
class ImageSample {
 public:
  /// Reads the rows. Throws the errors of reading.
  ImageSample(const Exposure& exposure, const Config& config);

  /// Sorted medians of the unmasked pixels in 8 x 8 blocks of the image. Blocks that are masked to more than half are
  /// left out. Empty if a block would have fewer than 8 x 8 pixels. Each block has a sample of 64 to some 120 pixels,
  /// so that a median is accurate to 0.16 of the noise.
  std::vector<float> block_medians() const;

  /// Typical width of the pixel distribution in a block, in sigma of a Gaussian: the median of the blocks'
  /// interquartile ranges. Requires that block_medians() is not empty.
  double block_width() const;

  /// Median noise by the weight map, regardless of the sky; 0 if there is no map or no unmasked pixel.
  double noise_of_map() const;

 private:
  std::vector<float> in_blocks(float (*measure)(std::vector<float>& unmasked)) const;

  Shape whole_;
  std::int64_t rows_per_block_;
  Image<float, Cpu> pixels_;                   ///< the rows one after another
  std::optional<Image<float, Cpu>> variance_;  ///< of the weight map
};

}  // namespace srcextract
