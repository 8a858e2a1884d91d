#include "cuda/device/slab.hpp"

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>

#include "cuda/device/check.hpp"
#include "cuda/device/cuda_devices.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

std::atomic<std::int64_t> most_of_a_device = std::numeric_limits<std::int64_t>::max();

/// Number of bytes that the slabs (large allocations) of this process occupy on a device.
std::atomic<std::int64_t>& taken_of(int device) {
  static std::array<std::atomic<std::int64_t>, 64> taken;
  return taken[static_cast<std::size_t>(device) % taken.size()];
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device));
  return device;
}

/// Adds `bytes` to `taken`, the bytes that slabs occupy on a device. If the sum would exceed the limit, adds nothing
/// and returns false.
bool reserve(std::int64_t bytes, std::atomic<std::int64_t>& taken) {
  std::int64_t before = taken;
  do {
    if (before > most_of_a_device - bytes) return false;
  } while (!taken.compare_exchange_weak(before, before + bytes));
  return true;
}

struct Unmap {
  std::size_t bytes;
  void operator()(std::byte* memory) const noexcept { munmap(memory, bytes); }
};

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
  if (!reserve(wanted, taken)) return slab;
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaSuccess) {
    slab.memory_ = {static_cast<std::byte*>(memory), Release{bytes, device, nullptr}};
    return slab;
  }
  taken -= wanted;
  if (status != cudaErrorMemoryAllocation) check(status);
  cudaGetLastError();  // clears the error: the device itself has no fault
  return slab;
}

Slab Slab::on_host(std::size_t bytes, HostShare& share) {
  constexpr std::int64_t page = 4096, grain = std::int64_t{1} << 26;
  const auto wanted = static_cast<std::int64_t>(bytes);
  Slab slab;
  if (wanted > share.most - share.taken) return slab;
  // Mapping and locking pages of 2 MB takes a fourteenth of the time that cudaHostAlloc takes for the same memory
  // (measured).
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return slab;
  std::unique_ptr<std::byte, Unmap> pages(static_cast<std::byte*>(mapped), Unmap{bytes});
  std::byte* const memory = pages.get();
  madvise(memory, bytes, MADV_HUGEPAGE);
  parallel_for(wanted, grain, Cpu{share.threads}, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t at = begin; at < end; at += page) memory[at] = std::byte{};
  });
  if (cudaHostRegister(memory, bytes, cudaHostRegisterPortable) != cudaSuccess) {
    // a failure to lock memory means "too little memory"; a fault of the device shows again at the next call
    cudaGetLastError();
    return slab;
  }
  slab.memory_ = {pages.release(), Release{bytes, 0, &share}};
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
