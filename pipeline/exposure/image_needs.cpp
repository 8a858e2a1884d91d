#include "pipeline/exposure/image_needs.hpp"

#include <algorithm>
#include <cstdint>

#include "stages/convolve/kernel.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

ImageNeeds image_needs(const Config& config) {
  ImageNeeds needs;
  if (config.convolve.kernel == KernelShape::none) return needs;
  try {
    const Kernel kernel = make_kernel(config.convolve);
    needs.least.width = std::max<std::int64_t>(needs.least.width, kernel.width);
    needs.least.height = std::max<std::int64_t>(needs.least.height, kernel.height);
  } catch (const Error&) {  // ignored here, since OpenImage reports the same error with its place
  }
  return needs;
}

ImageNeeds map_needs(const Config& config) {
  ImageNeeds needs = image_needs(config);
  needs.constants = true;
  return needs;
}

}  // namespace srcextract
