#include "stages/weights/convolve_variance.hpp"

#include "cuda/device/memory.hpp"

namespace srcextract {

Image<float, Gpu> convolve_variance(const Image<float, Gpu>& variance, const Kernel& kernel, Edges edges,
                                    const Gpu& where) {
  return convolve(variance, kernel, edges, zeroed<Background>(where), where);
}

}  // namespace srcextract
