#include "stages/weights/convolve_variance.hpp"

#include "stages/convolve/convolve.hpp"

namespace srcextract {

Image<float, Cpu> convolve_variance(const Image<float, Cpu>& variance, const Kernel& kernel, Edges edges,
                                    const Cpu& where) {
  return convolve(variance, kernel, edges, Value<Background, Cpu>(), where);
}

}  // namespace srcextract
