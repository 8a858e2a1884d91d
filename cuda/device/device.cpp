#include "cuda/device/device.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <exception>
#include <string>

#include "cuda/device/check.hpp"
#include "cuda/device/cuda_devices.hpp"
#include "cuda/device/kept_handles.hpp"
#include "cuda/device/pinned.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

namespace {

/// Compute capability, times 10, of the oldest GPUs for which CMakeLists.txt builds kernels: 8.0, Ampere. The older
/// Turing lacks the 95 kB of shared memory per block that the kernel for sky clipping needs.
constexpr int oldest_capability = 80;

/// Number of streams that are created at a time: as many as a few extractors need.
constexpr int streams_at_once = 12;

KeptHandles<cudaStream_t>& kept_streams() {
  static KeptHandles<cudaStream_t>& kept = *new KeptHandles<cudaStream_t>(
      [](cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking); }, streams_at_once);
  return kept;
}

}  // namespace

int count_cuda_devices() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return count;
  cudaGetLastError();  // clears the error, which is no fault: a machine may have no device
  throw Error(ErrorKind::device, std::string("no usable GPU (") +
                                     (status == cudaSuccess ? "no device" : cudaGetErrorString(status)) +
                                     "); is the NVIDIA driver loaded (nvidia-smi)? --backend cpu needs none");
}

CudaDevice start_cuda_device(int index) {
  check(cudaInitDevice(index, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid));
  return find_cuda_device(index);
}

void use_device(int device) {
  check(cudaSetDevice(device));
  cudaGetLastError();
}

Stream::Stream(int device, int host_threads) {
  use_device(device);
  where_.device = device;
  where_.host_threads = host_share_.threads = host_threads;
  where_.workspace = &workspace_;
  check(cudaDeviceGetAttribute(&where_.multiprocessors, cudaDevAttrMultiProcessorCount, device));
  where_.stream = kept_streams().take(device);
}

Stream::~Stream() {
  cudaStreamSynchronize(where_.stream);
  kept_streams().give_back(where_.device, where_.stream);
}

void Stream::give_back_kept_memory() noexcept {
  cudaStreamSynchronize(where_.stream);  // a status is not checked: a fault of the device shows again at the next call
  workspace_.free_unused();
}

StreamEnd::~StreamEnd() {
  cudaStreamSynchronize(where_.stream);
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
  const int count = count_cuda_devices();
  if (index < 0 || index >= count) {
    throw Error(ErrorKind::device, "there is no GPU " + std::to_string(index) + "; this machine has " +
                                       std::to_string(count) + ", counted from 0");
  }
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index));
  if (properties.major * 10 + properties.minor < oldest_capability) {
    throw Error(ErrorKind::device, std::string("GPU ") + std::to_string(index) + " (" + properties.name +
                                       ") has compute capability " + std::to_string(properties.major) + "." +
                                       std::to_string(properties.minor) +
                                       ", 8.0 or later is needed; choose another with --device, or --backend cpu");
  }
  use_device(index);
  return {index, properties.name, free_device_memory()};
}

std::vector<CudaDevice> find_cuda_devices() {
  std::vector<CudaDevice> usable;
  std::exception_ptr failure;
  const int count = count_cuda_devices();
  for (int index = 0; index < count; ++index) {
    try {
      usable.push_back(find_cuda_device(index));
    } catch (const Error&) {
      failure = std::current_exception();
    }
  }
  if (usable.empty()) std::rethrow_exception(failure);
  return usable;
}

bool device_works(int device) {
  try {
    const Stream stream(device);
    Event reached;
    reached.record(stream.where().stream);
    reached.wait();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace srcextract
