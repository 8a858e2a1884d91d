#pragma once

#include <utility>

#include "cuda/device/check.hpp"

namespace srcextract {

/// An event that marks a moment in a stream, for measuring the time between two moments; movable. It belongs to the
/// device that is current when it is made.
class TimedEvent {
 public:
  TimedEvent();
  ~TimedEvent();
  TimedEvent(TimedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)), device_(other.device_) {}
  TimedEvent& operator=(TimedEvent&&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  /// Records the event in a stream that is being captured, so that every run of the graph records it anew.
  void record_in_graph(cudaStream_t stream) {
    check(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
  }

  /// Waits for this event.
  void wait() const { check(cudaEventSynchronize(event_)); }
  /// Seconds from `earlier` to this event. Both events must have happened.
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
