#pragma once

#include <utility>

#include "cuda/device/check.hpp"

namespace srcextract {

/// A CUDA event to measure the time between two points in a stream. Movable. The event belongs to the device that is
/// current at construction.
class TimedEvent {
 public:
  TimedEvent();
  ~TimedEvent();
  TimedEvent(TimedEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)), device_(other.device_) {}
  TimedEvent& operator=(TimedEvent&&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  /// Records the event in a stream that is being captured into a graph; every launch of the graph records the event
  /// anew.
  void record_in_graph(cudaStream_t stream) {
    check(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal));
  }

  void wait() const { check(cudaEventSynchronize(event_)); }
  /// Returns the seconds from `earlier` to this event. The stream must have reached both events.
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
