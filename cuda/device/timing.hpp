#pragma once

#include <utility>

#include "cuda/device/check.hpp"

namespace srcextract {

/// A moment in a stream, for measuring the time between two moments; movable. The event belongs to the current device
/// of the thread that makes it.
class TimedEvent {
 public:
  TimedEvent();
  ~TimedEvent();
  TimedEvent(TimedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)), device_(other.device_) {}
  TimedEvent& operator=(TimedEvent&&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  /// Records while the stream is captured: the moment is taken anew whenever the graph runs.
  void record_in_graph(cudaStream_t stream) {
    check(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
  }

  /// Waits for this event.
  void wait() const { check(cudaEventSynchronize(event_)); }
  /// Seconds from `earlier` to this event. Both events must have come.
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
