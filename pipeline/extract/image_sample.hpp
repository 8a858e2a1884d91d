#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Some rows of an image, evenly spread, read once more on the host: a look at what back ends do not tell. Of an image
/// whose planes are combined, or of a difference, there is no such look.
class ImageSample {
 public:
  /// Reads them. Throws what reading them throws.
  ImageSample(const Exposure& exposure, const Config& config);

  /// The medians of the pixels that are not masked in 8 x 8 blocks of the image, in order; of fewer blocks where others
  /// are masked to more than half, and of none where blocks have fewer than 8 x 8 pixels. A sample of 64 to some
  /// 120 pixels of each tells them, to 0.16 of its noise.
  std::vector<float> block_medians() const;

  /// How wide the pixels of most of these blocks lie: the median of what is between the quartiles of each, in sigma of
  /// a Gaussian. There must be such blocks.
  double block_width() const;

  /// The median noise that a map of weights tells, without regard to the sky; 0 if it tells none, or there is no map.
  double noise_of_map() const;

 private:
  std::vector<float> in_blocks(float (*measure)(std::vector<float>& unmasked)) const;

  Shape whole_;
  std::int64_t rows_per_block_;
  Image<float, Cpu> pixels_;                   ///< the rows one after another
  std::optional<Image<float, Cpu>> variance_;  ///< of a map
};

}  // namespace srcextract
