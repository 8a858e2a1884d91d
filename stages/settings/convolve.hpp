#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace srcextract {

enum class KernelShape { none, gaussian, tophat, mexican_hat, values, file };
enum class Edges { zero, nearest, reflect };
enum class Filter { convolution, matched };

/// The convolution of the image before detection. Lengths are in pixels; 0 means not given.
struct ConvolveConfig {
  KernelShape kernel = KernelShape::none;
  double fwhm = 0;        ///< full width at half maximum of the Gaussian; alternative to sigma
  double sigma = 0;       ///< standard deviation of the Gaussian, or scale of the mexican hat
  double radius = 0;      ///< radius of the top-hat
  std::int64_t size = 0;  ///< side of the square kernel; 0: derived from the shape's length (make_kernel)
  std::vector<std::vector<double>> values;
  std::string file;  ///< path of a kernel: SExtractor's .conv format, or a FITS image
  bool normalize = true;
  Edges edges = Edges::zero;
  bool median = false;  ///< whether the median of 3 x 3 pixels is taken before the kernel is applied
  /// matched: pixels are weighted by the inverse of their variance, and the threshold is in units of the noise of the
  /// filtered image.
  Filter filter = Filter::convolution;

  /// Whether the section asks for any filter.
  bool filters() const { return kernel != KernelShape::none || median; }
  /// Whether the section asks for the matched filter, or for a plain convolution. Without a kernel it asks for neither.
  bool is_matched() const { return kernel != KernelShape::none && filter == Filter::matched; }
  bool convolves() const { return kernel != KernelShape::none && filter == Filter::convolution; }

  bool operator==(const ConvolveConfig&) const = default;
};

}  // namespace srcextract
