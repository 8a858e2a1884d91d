#include "stages/weights/convolve_variance.hpp"

#include "cuda/device/check.hpp"

namespace srcextract {

Image<float, Gpu> convolve_variance(const Image<float, Gpu>& variance, const Kernel& kernel, Edges edges,
                                    const Gpu& where) {
  Value<Background, Gpu> nothing(where);
  check(cudaMemsetAsync(nothing.data(), 0, sizeof(Background), where.stream));
  return convolve(variance, kernel, edges, nothing, where);
}

}  // namespace srcextract
