#pragma once

#include <utility>

#include "cuda/device/check.hpp"

namespace srcextract {

/// A moment in a stream of the device of the thread that makes it, for measuring how long after another it came;
/// movable.
class TimedEvent {
 public:
  TimedEvent();
  ~TimedEvent();
  TimedEvent(TimedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)), device_(other.device_) {}
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
  int device_ = 0;
};

}  // namespace srcextract
