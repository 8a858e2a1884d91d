#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

enum class KernelShape { none, gaussian, tophat, mexican_hat, values, file };
enum class Edges { zero, nearest, reflect };
enum class Filter { convolution, matched };

/// The convolution before detection. Lengths in pixels; 0 = not given.
struct ConvolveConfig {
  KernelShape kernel = KernelShape::none;
  double fwhm = 0;        ///< of the Gaussian; or give sigma
  double sigma = 0;       ///< of the Gaussian and the mexican hat
  double radius = 0;      ///< of the top-hat
  std::int64_t size = 0;  ///< side of the kernel; 0 = chosen by its shape
  std::vector<std::vector<double>> values;
  std::string file;  ///< SExtractor's .conv, or a FITS image
  bool normalize = true;
  Edges edges = Edges::zero;
  /// matched: pixels are weighted by their noise, and the threshold is in units of the noise of the filtered image.
  Filter filter = Filter::convolution;

  bool operator==(const ConvolveConfig&) const = default;
};

}  // namespace srcextract
