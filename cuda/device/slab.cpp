#include "cuda/device/slab.hpp"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>

#include "cuda/device/check.hpp"
#include "cuda/device/cuda_devices.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

std::atomic<std::int64_t> most_of_a_device = std::numeric_limits<std::int64_t>::max();

/// Bytes that the slabs of this process take of a device.
std::atomic<std::int64_t>& taken_of(int device) {
  static std::array<std::atomic<std::int64_t>, 64> taken;
  return taken[static_cast<std::size_t>(device) % taken.size()];
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device));
  return device;
}

/// Whether a call had enough memory. Throws its other errors.
bool had_memory(cudaError_t status) {
  if (status != cudaErrorMemoryAllocation) {
    check(status);
    return true;
  }
  cudaGetLastError();  // clears the error, which is no fault of the device
  return false;
}

}  // namespace

void limit_device_memory(std::int64_t bytes) {
  most_of_a_device = bytes;
}

std::int64_t free_device_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  const std::int64_t left = most_of_a_device - taken_of(current_device());
  return std::clamp<std::int64_t>(left, 0, static_cast<std::int64_t>(free));
}

Slab Slab::on_device(std::size_t bytes) {
  const int device = current_device();
  std::atomic<std::int64_t>& taken = taken_of(device);
  const auto wanted = static_cast<std::int64_t>(bytes);
  Slab slab;
  void* memory = nullptr;
  if (taken.fetch_add(wanted) <= most_of_a_device - wanted && had_memory(cudaMalloc(&memory, bytes)))
    slab.memory_ = {static_cast<std::byte*>(memory), Release{bytes, device, nullptr}};
  else
    taken -= wanted;
  return slab;
}

Slab Slab::on_host(std::size_t bytes, HostShare& share) {
  constexpr std::int64_t page = 4096, grain = std::int64_t{1} << 26;
  const auto wanted = static_cast<std::int64_t>(bytes);
  Slab slab;
  if (wanted > share.most - share.taken) return slab;
  // Locking pages of 2 MB takes a fiftieth of the time that cudaHostAlloc takes for pages of 4 kB.
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return slab;
  madvise(mapped, bytes, MADV_HUGEPAGE);
  auto* const memory = static_cast<std::byte*>(mapped);
  parallel_for(wanted, grain, Cpu{share.threads}, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += page) memory[at] = std::byte{};
  });
  if (!had_memory(cudaHostRegister(mapped, bytes, cudaHostRegisterPortable))) {
    munmap(mapped, bytes);
    return slab;
  }
  slab.memory_ = {memory, Release{bytes, 0, &share}};
  share.taken += wanted;
  return slab;
}

void Slab::Release::operator()(std::byte* memory) const noexcept {
  const auto taken = static_cast<std::int64_t>(bytes);
  if (share == nullptr) {
    cudaFree(memory);
    taken_of(device) -= taken;
    return;
  }
  cudaHostUnregister(memory);
  munmap(memory, bytes);
  share->taken -= taken;
}

}  // namespace srcextract
