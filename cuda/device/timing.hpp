#pragma once

#include "cuda/device/check.hpp"

namespace srcextract {

/// A moment in a stream, for measuring how long after another it came; movable.
class TimedEvent {
 public:
  TimedEvent() { check(cudaEventCreate(&event_)); }
  ~TimedEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  TimedEvent(TimedEvent&& other) noexcept : event_(other.event_) { other.event_ = nullptr; }
  TimedEvent& operator=(TimedEvent&&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  /// While the stream is captured: recorded whenever the graph runs.
  void record_in_graph(cudaStream_t stream) {
    check(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
  }

  /// Waits for this event.
  void wait() const { check(cudaEventSynchronize(event_)); }
  /// Both must have come.
  double seconds_since(const TimedEvent& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
    return milliseconds / 1000.0;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace srcextract
