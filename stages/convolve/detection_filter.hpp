#pragma once

#include <cstdint>
#include <optional>

#include "stages/convolve/convolve.hpp"
#include "stages/convolve/kernel.hpp"
#include "stages/convolve/median_filter.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/convolve.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// The filter of the image in which sources are found: that of the section `convolve`, or the star of a score image.
/// All that steps and outputs ask of a filter is asked here.
struct DetectionFilter {
  std::optional<Kernel> kernel = {};
  Edges edges = Edges::zero;
  bool median = false;  ///< whether the median of 3 x 3 pixels comes before the kernel

  /// Number of images that apply() makes, its result and what is on the way to it.
  static std::int64_t images(const ConvolveConfig& config) {
    return config.median && config.kernel != KernelShape::none ? 2 : 1;
  }

  /// Height of the kernel in pixels, by which SExtractor delays what it does to a source; 0 without a kernel.
  std::int64_t height() const { return kernel ? kernel->height : 0; }

  /// The sigma that the filter makes of independent pixels of sigma 1.
  double white_noise() const {
    return median ? white_noise_after_median(or_one_pixel()) : kernel ? white_noise_of(*kernel) : 1;
  }

  /// A kernel whose results have the noise of the filter's, also in noise that pixels share. There must be a filter.
  Kernel noise_kernel() const { return median ? noise_kernel_after_median(or_one_pixel()) : *kernel; }

  /// The filtered image, with its sky level as it was (convolve()). There must be a filter.
  template <class Where>
  Image<float, Where> apply(const Image<float, Where>& image, const Value<Background, Where>& sky,
                            const Where& where) const {
    if (!median) return convolve(image, *kernel, edges, sky, where);
    Image<float, Where> medians = median_filter(image, where);
    return kernel ? convolve(medians, *kernel, edges, sky, where) : std::move(medians);
  }

 private:
  Kernel or_one_pixel() const { return kernel ? *kernel : Kernel{.weights = {1}}; }
};

/// The filter that the section `convolve` asks for.
inline DetectionFilter filter_of(const ConvolveConfig& config) {
  DetectionFilter filter{.edges = config.edges, .median = config.median};
  if (config.kernel != KernelShape::none) filter.kernel = make_kernel(config);
  return filter;
}

}  // namespace srcextract
