#include "tests/cuda_lost/trap.hpp"

namespace srcextract::testing {

namespace {

__global__ void trap_kernel() {
  __trap();
}

}  // namespace

void lose_device(const Gpu& where) {
  trap_kernel<<<1, 1, 0, where.stream>>>();
  cudaStreamSynchronize(where.stream);
}

}  // namespace srcextract::testing
