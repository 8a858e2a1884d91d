#include "cuda/device/timing.hpp"

#include "cuda/device/kept_handles.hpp"

namespace srcextract {
namespace {

/// Number of events that are created at a time: as many as a few extractors need.
constexpr int at_once = 128;

KeptHandles<cudaEvent_t>& kept_events() {
  static KeptHandles<cudaEvent_t>& kept =
      *new KeptHandles<cudaEvent_t>([](cudaEvent_t* event) { return cudaEventCreate(event); }, at_once);
  return kept;
}

}  // namespace

TimedEvent::TimedEvent() {
  check(cudaGetDevice(&device_));
  event_ = kept_events().take(device_);
}

TimedEvent::~TimedEvent() {
  if (event_ != nullptr) kept_events().give_back(device_, event_);
}

}  // namespace srcextract
