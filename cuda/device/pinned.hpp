#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cuda/device/check.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Page-locked host memory, from and to which the bus copies at full speed while the host goes on.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::int64_t bytes) : size_(bytes) {
    if (bytes == 0) return;
    void* memory = nullptr;
    const cudaError_t status = cudaMallocHost(&memory, static_cast<std::size_t>(bytes));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // clears the error, which is no fault of the device
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

/// Alignment in bytes of items that one copy over the bus carries together.
inline constexpr std::int64_t bus_alignment = 16;

/// Returns the room that an item of `bytes` bytes takes in such a copy: its size, rounded up to bus_alignment.
constexpr std::int64_t bus_room(std::int64_t bytes) {
  return (bytes + bus_alignment - 1) / bus_alignment * bus_alignment;
}

/// A point in a stream that the host can wait for. Waiting before the first record() returns at once. The destructor
/// waits too, so that the source of a copy outlives the copy.
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
