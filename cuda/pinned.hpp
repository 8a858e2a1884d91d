#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuda/check.hpp"

namespace srcextract {

/// Page-locked host memory: what the bus copies from at full speed, while the host goes on.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::int64_t bytes) {
    void* memory = nullptr;
    if (bytes > 0) check(cudaMallocHost(&memory, static_cast<std::size_t>(bytes)));
    memory_.reset(static_cast<std::byte*>(memory));
  }
  std::byte* data() { return memory_.get(); }

 private:
  struct Release {
    void operator()(std::byte* memory) const noexcept { cudaFreeHost(memory); }
  };
  std::unique_ptr<std::byte, Release> memory_;
};

/// A point in a stream that the host can wait for; waiting before it was ever recorded returns at once.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  void wait() { check(cudaEventSynchronize(event_)); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace srcextract
