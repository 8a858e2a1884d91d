#include "cuda/device/shared_memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "cuda/device/check.hpp"
#include "cuda/device/device.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

namespace {

/// The unit in which the driver moves memory between host and device.
constexpr std::size_t moved_together = std::size_t{2} << 20;

/// Writes to each page, so that the host's threads, and not faults of the device, make them: 14 GB/s on 16 threads
/// against 5 GB/s (H200).
void make_pages(std::byte* begin, std::size_t bytes, const Cpu& host) {
  constexpr std::int64_t page = 4096, pages_at_once = 4096;
  parallel_for(static_cast<std::int64_t>(bytes) / page, pages_at_once, host, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) begin[i * page] = std::byte{};
  });
}

}  // namespace

SharedMemory allocate_shared(std::size_t bytes, std::size_t most_on_host, const Cpu& host) {
  int device = 0, can_share = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&can_share, cudaDevAttrConcurrentManagedAccess, device));
  const auto free = static_cast<std::size_t>(free_device_memory());
  const std::size_t on_device = std::min(bytes, free / 4 * 3) / moved_together * moved_together;
  if (can_share == 0 || bytes - on_device > most_on_host) return {};

  SharedMemory shared{nullptr, bytes - on_device};
  if (cudaMallocManaged(&shared.memory, bytes) != cudaSuccess) {
    cudaGetLastError();  // clears the error, which is no fault of the device
    return {};
  }
  std::byte* const begin = static_cast<std::byte*>(shared.memory);
  const cudaMemLocation here{cudaMemLocationTypeHost, 0}, there{cudaMemLocationTypeDevice, device};
  if (on_device > 0) {
    check(cudaMemAdvise(begin, on_device, cudaMemAdviseSetPreferredLocation, there));
    // Takes the memory now, before others do.
    check(cudaMemPrefetchAsync(begin, on_device, there, 0, cudaStreamPerThread));
    check(cudaStreamSynchronize(cudaStreamPerThread));
  }
  if (shared.on_host > 0) {
    check(cudaMemAdvise(begin + on_device, shared.on_host, cudaMemAdviseSetPreferredLocation, here));
    check(cudaMemAdvise(begin + on_device, shared.on_host, cudaMemAdviseSetAccessedBy, there));
    make_pages(begin + on_device, shared.on_host, host);
  }
  return shared;
}

}  // namespace srcextract
