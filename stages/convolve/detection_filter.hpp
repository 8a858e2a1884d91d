#pragma once

#include <cstdint>
#include <optional>

#include "stages/convolve/convolve.hpp"
#include "stages/convolve/kernel.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/convolve.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// The filter of the image in which sources are found: that of the section `convolve`, or the star of a score image.
/// All that steps and outputs ask of a filter is asked here.
struct DetectionFilter {
  std::optional<Kernel> kernel = {};  ///< null: the image is not filtered
  Edges edges = Edges::zero;

  /// Number of images that apply() makes, its result and what is on the way to it.
  static std::int64_t images(const ConvolveConfig&) { return 1; }

  /// Height of the filter in pixels, by which SExtractor delays what it does to a source; 0 without a filter.
  std::int64_t height() const { return kernel ? kernel->height : 0; }

  /// The sigma that the filter makes of independent pixels of sigma 1.
  double white_noise() const { return kernel ? white_noise_of(*kernel) : 1; }

  /// A kernel whose results have the noise of the filter's, also in noise that pixels share. There must be a filter.
  Kernel noise_kernel() const { return *kernel; }

  /// The filtered image, with its sky level as it was (convolve()). The filter must be used.
  template <class Where>
  Image<float, Where> apply(const Image<float, Where>& image, const Value<Background, Where>& sky,
                            const Where& where) const {
    return convolve(image, *kernel, edges, sky, where);
  }
};

/// The filter that the section `convolve` asks for.
inline DetectionFilter filter_of(const ConvolveConfig& config) {
  if (!config.filters()) return {};
  return {make_kernel(config), config.edges};
}

}  // namespace srcextract
