#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cuda/device/check.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Page-locked host memory. Copies between such memory and the device reach the full speed of the bus and do not block
/// the host.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::int64_t bytes) : size_(bytes) {
    if (bytes == 0) return;
    void* memory = nullptr;
    const cudaError_t status = cudaMallocHost(&memory, static_cast<std::size_t>(bytes));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // clears the error: the device itself has no fault
      throw Error(ErrorKind::device, "the host cannot lock " + std::to_string(bytes) +
                                         " bytes of memory for copies to the GPU; free some, or use --backend cpu");
    }
    check(status);
    memory_.reset(static_cast<std::byte*>(memory));
  }
  std::byte* data() { return memory_.get(); }
  const std::byte* data() const { return memory_.get(); }
  std::int64_t size() const { return size_; }

 private:
  struct Release {
    void operator()(std::byte* memory) const noexcept { cudaFreeHost(memory); }
  };
  std::unique_ptr<std::byte, Release> memory_;
  std::int64_t size_;
};

/// Alignment in bytes of the items that one copy between host and device carries together.
inline constexpr std::int64_t bus_alignment = 16;

/// Returns the number of bytes that an item of `bytes` bytes occupies in a combined copy: rounded up to bus_alignment.
constexpr std::int64_t bus_room(std::int64_t bytes) {
  return (bytes + bus_alignment - 1) / bus_alignment * bus_alignment;
}

/// A point in a stream for which the host can wait. wait() before the first record() returns at once. The destructor
/// waits too: an Event destroyed before a copy's source keeps the source alive until the copy is done.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() {
    cudaEventSynchronize(event_);
    cudaEventDestroy(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  void wait() { check(cudaEventSynchronize(event_)); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace srcextract
