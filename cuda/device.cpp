#include "cuda/device.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "cuda/check.hpp"
#include "cuda/extract.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

Stream::Stream(int device) {
  check(cudaSetDevice(device));
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, device));
  std::uint64_t keep_all = UINT64_MAX;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep_all));
  where_.device = device;
  check(cudaStreamCreateWithFlags(&where_.stream, cudaStreamNonBlocking));
}

Stream::~Stream() {
  cudaStreamDestroy(where_.stream);
}

void synchronize(const Gpu& where) {
  check(cudaStreamSynchronize(where.stream));
}

bool cuda_built() {
  return true;
}

std::string cuda_version() {
  return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
}

CudaDevice find_cuda_device(int index) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();  // having no device is an answer, not a fault
    throw Error(ErrorKind::device, std::string("no usable GPU (") +
                                       (status == cudaSuccess ? "no device" : cudaGetErrorString(status)) +
                                       "); is the NVIDIA driver loaded (nvidia-smi)? --backend cpu needs none");
  }
  if (index < 0 || index >= count) {
    throw Error(ErrorKind::device, "there is no GPU " + std::to_string(index) + "; this machine has " +
                                       std::to_string(count) + ", counted from 0");
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index));
  check(cudaSetDevice(index));
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  return {index, properties.name, static_cast<std::int64_t>(total), static_cast<std::int64_t>(free)};
}

}  // namespace srcextract
