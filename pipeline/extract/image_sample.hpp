#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Evenly spaced rows of an image, read a second time on the host, for statistics that the stages do not compute. Not
/// for combined planes or difference images.
class ImageSample {
 public:
  /// Throws the errors of reading.
  ImageSample(const Exposure& exposure, const Config& config);

  /// Sorted medians of the unmasked pixels in each of 8 x 8 blocks that divide the image. Blocks with more than half of
  /// their pixels masked are left out. Empty if blocks have fewer than 8 x 8 pixels.
  ///
  /// Only 64 to about 120 pixels of each block are used, so a median has an error of 0.16 times the noise.
  std::vector<float> block_medians() const;

  /// Typical width of the distribution of pixel values in a block, as the sigma of a Gaussian: derived from the median
  /// of the blocks' interquartile ranges. block_medians() must not be empty.
  double block_width() const;

  /// How many times larger second differences along rows are over two pixels than over one, by their medians: 1 if the
  /// noise of pixels is independent, or nearly, more if neighbours share it. Only differences of which all five pixels
  /// are in the lower three quarters of their row count, so that stars hardly do: a crowd of 10 000 stars of 3 pixels
  /// in 1024² gives 1.0, one of 30 000 gives 1.26. 1 if fewer than 2000 are left, or chance may be the reason.
  double smoothness() const;

  /// The median of the unmasked pixels, and the share of them that have this value. 0 without pixels.
  struct Middle {
    float value = 0;
    double share = 0;
  };
  Middle middle() const;

  /// Median noise by the weight map, without regard to the sky. 0 if there is no map or no unmasked pixel.
  double noise_of_map() const;

 private:
  std::vector<float> in_blocks(float (*measure)(std::vector<float>& unmasked)) const;

  Shape whole_;
  std::int64_t rows_per_block_;
  Image<float, Cpu> pixels_;                   ///< the sampled rows, one below the other
  std::optional<Image<float, Cpu>> variance_;  ///< of the same rows, from the weight map
};

}  // namespace srcextract
